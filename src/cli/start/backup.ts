/** `sluice backup`: a copy of the database in one file, also while the server runs. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '#lib/clock.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { databaseUrl, openInstallation } from '#setup/open-installation.ts'
import { secretKeyFileIn } from '#setup/secret-key.ts'
import { StartProblem } from '#setup/start-problem.ts'
import { BackupRefused } from '#store/backup.ts'
import { CommandFailure, type Command } from '../command.ts'
import { readConfiguration } from '../configuration.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy the SQLite database to a new file; the server may keep running.',
  positionals: [{ name: 'FILE', sentence: 'Where to; must not exist yet.' }],
  async run({ positionals: [given = ''], flags, output }) {
    const { settings, declared } = readConfiguration(flags)
    const dataDirectory = resolve(settings.data_dir)
    const url = databaseUrl(settings, dataDirectory)
    // Opening would make an empty one, and its copy would pass for a backup.
    if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length).replace(/^\/\//, ''))) {
      throw new StartProblem(
        `There is no database at ${url.slice('sqlite:'.length)}. Check data_dir, or start Sluice first.`,
      )
    }
    const file = resolve(given)
    const logger = createLogger({ level: 'warn', format: 'text', clock: systemClock, write: writeToStderr })
    const { store } = await openInstallation({ settings, declared, clock: systemClock, logger, setUp: false })
    try {
      await store.backup(file)
    } catch (thrown) {
      if (thrown instanceof BackupRefused) throw new CommandFailure(thrown.message)
      throw thrown
    } finally {
      await store.close()
    }
    const keyFile = settings['security.secret_key'] === null ? secretKeyFileIn(dataDirectory) : null
    const advice =
      keyFile === null ? [] : [`Keep ${keyFile} with it: without that key the credentials in it cannot be opened.`]
    output.result({ file, secret_key_file: keyFile }, [`Wrote ${file}.`, ...advice])
    return 0
  },
}
