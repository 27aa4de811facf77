/**
 * A server of a version that does not exist: this one with a further step of the schema. Takes what `sluice start` takes
 * from the environment, serves until SIGTERM.
 */
import { loadConfig } from '#config/load.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { systemClock } from '#lib/clock.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { openInstallation } from '#setup/open-installation.ts'
import { openApp } from '#src/app.ts'
import { nextVersion } from '#test/support/store/next-migrations.ts'

const config = loadConfig({})
if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
const { settings, sources, declared } = config
const logger = createLogger({ level: 'info', format: 'text', clock: systemClock, write: writeToStderr })
const installation = { settings, declared, clock: systemClock, logger, setUp: true, migrations: nextVersion() }
const { store, sealer } = await openInstallation(installation)
const live = new LiveSettings(settings, sources)
const app = await openApp({ settings: live, store, clock: systemClock, logger, version: 'next', sealer })
app.listen()
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
