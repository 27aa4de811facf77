/** `sluice check-config` and `sluice print-config`. */
import { describeSettings, type SettingDescription } from '#config/settings/describe.ts'
import type { Command } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { tableLines } from '../output.ts'

const checkConfig: Command = {
  name: 'check-config',
  summary: 'Check the configuration; exit code 2 with every problem, or "ok".',
  async run({ flags, output }) {
    const { file } = readConfiguration(flags)
    output.result({ ok: true, file }, ['ok'])
    return 0
  },
}

const printConfig: Command = {
  name: 'print-config',
  summary: 'Print every setting, its value and where it comes from. Secrets are hidden.',
  async run({ flags, output }) {
    const { settings, sources } = readConfiguration(flags)
    const described = describeSettings(settings, sources)
    output.result(described, () =>
      tableLines(
        ['setting', 'value', 'source'],
        described.map((setting) => [setting.name, shown(setting), setting.source]),
        '',
      ),
    )
    return 0
  },
}

export const configCommands: readonly Command[] = [checkConfig, printConfig]

function shown({ value }: SettingDescription): string {
  if (value === null) return '-'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value as Readonly<Record<string, string>>).map(([name, text]) => `${name}=${text}`)
  return entries.length === 0 ? '-' : entries.join(', ')
}
