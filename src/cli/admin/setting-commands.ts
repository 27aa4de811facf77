/** `sluice settings …` */
import type { Command } from '../command.ts'
import { settingText, tableLines } from '../output.ts'
import { dataCommand } from './data-command.ts'
import type { SettingOnWire } from './wire.ts'

const name = { name: 'NAME', sentence: 'The name of the setting, for example gateway.idle_seconds.' } as const

const list = dataCommand({
  name: 'settings list',
  summary: 'List the settings of the server with their values and where those come from.',
  async run(client, { output }) {
    const { data } = (await client.call('GET', '/settings')) as { readonly data: readonly SettingOnWire[] }
    const rows = data.map((setting) => [setting.name, settingText(setting.value), setting.source])
    output.result(data, () => tableLines(['setting', 'value', 'source'], rows, 'There are no settings.'))
    return 0
  },
})

const set = dataCommand({
  name: 'settings set',
  summary: 'Store a value for a live setting; it holds for the next request.',
  details: 'Lists and mappings are written as in the environment: a, b and name=text, name=text.',
  positionals: [name, { name: 'VALUE', sentence: 'Its new value.' }],
  async run(client, { positionals: [setting = '', value = ''], output }) {
    const changed = (await client.call('PUT', pathOf(setting), { value })) as SettingOnWire
    output.result(changed, [`${changed.name} is ${settingText(changed.value)}.`])
    return 0
  },
})

const reset = dataCommand({
  name: 'settings reset',
  summary: 'Remove the stored value of a setting.',
  positionals: [name],
  async run(client, { positionals: [setting = ''], output }) {
    const changed = (await client.call('DELETE', pathOf(setting))) as SettingOnWire
    output.result(changed, [`${changed.name} is ${settingText(changed.value)} (${changed.source}).`])
    return 0
  },
})

export const settingCommands: readonly Command[] = [list, set, reset]

function pathOf(setting: string): string {
  return `/settings/${encodeURIComponent(setting)}`
}
