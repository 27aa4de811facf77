/** `sluice limits …`: the rate limits, which are the setting `limits.rates`, rule by rule. */
import type { Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand } from './data-command.ts'
import type { AdminClient } from './admin-client.ts'
import type { SettingOnWire } from './wire.ts'

const setting = 'limits.rates'
const path = `/settings/${setting}`
const rule = {
  name: 'RULE',
  sentence: 'The rule, for example "user:* model:gpt-4o tokens 100000/minute burst 20000".',
} as const

const list = dataCommand({
  name: 'limits list',
  summary: 'List the rate limits.',
  async run(client, { output }) {
    const rules = await rulesOf(client)
    const rows = rules.map((text) => [text])
    output.result(rules, () => tableLines(['limit'], rows, 'There are no rate limits.'))
    return 0
  },
})

const add = dataCommand({
  name: 'limits add',
  summary: 'Add a rate limit; it applies to the next request.',
  positionals: [rule],
  async run(client, { positionals: [text = ''], output }) {
    const rules = await rulesOf(client)
    const changed = (await client.call('PUT', path, { value: [...rules, text] })) as SettingOnWire
    output.result(changed, [`Added ${text}.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'limits remove',
  summary: 'Remove a rate limit, written as the list shows it.',
  positionals: [rule],
  async run(client, { positionals: [text = ''], output }) {
    const rules = await rulesOf(client)
    const left = rules.filter((each) => each !== text)
    if (left.length === rules.length) {
      output.problems([`There is no rate limit "${text}". List them with: sluice limits list`])
      return 1
    }
    output.result(await client.call('PUT', path, { value: left }), [`Removed ${text}.`])
    return 0
  },
})

export const limitCommands: readonly Command[] = [list, add, remove]

async function rulesOf(client: AdminClient): Promise<readonly string[]> {
  const { data } = (await client.call('GET', '/settings')) as { readonly data: readonly SettingOnWire[] }
  const value = data.find(({ name }) => name === setting)?.value
  return Array.isArray(value) ? value.map(String) : []
}
