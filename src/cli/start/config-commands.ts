/** `sluice check-config` and `sluice print-config`. */
import { problemText } from '#config/problem.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import type { Command } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { settingText, tableLines } from '../output.ts'

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
  summary: 'Print every setting with the value in force and where it comes from. Secrets are hidden.',
  details: 'Values that an administrator has stored are read from the database, if there is one.',
  async run({ flags, output }) {
    const { settings, sources } = readConfiguration(flags)
    const live = new LiveSettings(settings, sources)
    // The store takes long to load, and only this command needs it.
    const { storedIn } = await import('./stored-values.ts')
    const stored = await storedIn(settings)
    if (stored === null) output.remark('The database cannot be read: values that are stored in it are not shown.')
    for (const problem of live.applyStored(stored ?? new Map())) output.remark(problemText(problem))
    const described = live.describe()
    output.result(described, () =>
      tableLines(
        ['setting', 'value', 'source'],
        described.map((setting) => [setting.name, settingText(setting.value), setting.source]),
        '',
      ),
    )
    return 0
  },
}

export const configCommands: readonly Command[] = [checkConfig, printConfig]
