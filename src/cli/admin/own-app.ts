/** The app in this process, without listening, for commands where no server runs. */
import { LiveSettings } from '#config/settings/live-settings.ts'
import { systemClock as clock } from '#lib/clock.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { openInstallation } from '#setup/open-installation.ts'
import { openApp, type App } from '#src/app.ts'
import type { Configuration } from '../configuration.ts'
import { version } from '../version.ts'

/** To be closed by the caller. Throws StartProblem. */
export async function openOwnApp({ settings, sources, declared, proxyFor }: Configuration): Promise<App> {
  const logger = createLogger({ level: 'warn', format: 'text', clock, write: writeToStderr })
  const { store } = await openInstallation({ settings, declared, clock, logger, setUp: false })
  return openApp({ settings: new LiveSettings(settings, sources), store, clock, logger, version, proxyFor })
}
