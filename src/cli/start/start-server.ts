/** From a checked configuration to a process that listens. */
import { LiveSettings } from '#config/settings/live-settings.ts'
import { builtConsole, readConsoleFiles } from '#console/console-files.ts'
import { systemClock } from '#lib/clock.ts'
import type { OtherWorkers } from '#observe/other-workers.ts'
import { controlSocketIn, usageJournalsIn } from '#setup/data-directory.ts'
import { undoFirstStart } from '#setup/first-start.ts'
import { openInstallation, type Installation, type InstallationOptions } from '#setup/open-installation.ts'
import { openApp, type App } from '#src/app.ts'
import type { Configuration } from '../configuration.ts'
import { removeStaleSocket, restrictSocket } from '../control-socket.ts'
import { version } from '../version.ts'
import { listenProblem } from './port.ts'
import { startLogger } from './start-logger.ts'

/** What a start prints of a server that runs. */
export interface StartFacts {
  readonly port: number
  readonly firstStart: Installation['firstStart']
  readonly forgotten: Installation['forgotten']
  readonly hasConsole: boolean
  /** Names of the models. */
  readonly models: readonly string[]
}

/** A server that listens. */
export interface RunningServer {
  readonly facts: StartFacts
  /** Lets what runs finish, and closes everything. */
  close(): Promise<void>
}

/** What a start is asked for besides the configuration. */
export type StartOrder = Pick<InstallationOptions, 'forgetCredentials' | 'signal'> & {
  /** The processes that share the port; left out: this one has it to itself. Worker 0 has the control socket. */
  readonly otherWorkers?: OtherWorkers
}

/** Opens everything and listens. Throws StartProblem; nothing stays open then, and no secret is lost unseen. */
export async function startServer(
  { settings, sources, declared, proxyFor }: Configuration,
  { otherWorkers, ...asked }: StartOrder,
): Promise<RunningServer & Pick<App, 'exposition'>> {
  const clock = systemClock
  const logger = startLogger({ settings }, otherWorkers && { worker: otherWorkers.number })
  const { store, dataDirectory, sealer, firstStart, forgotten } = await openInstallation({
    settings,
    declared,
    clock,
    logger,
    setUp: true,
    ...asked,
  })
  const consoleFiles = readConsoleFiles(builtConsole)
  const app = await openApp({
    settings: new LiveSettings(settings, sources),
    store,
    clock,
    logger,
    version,
    sealer,
    consoleFiles,
    journalDirectory: usageJournalsIn(dataDirectory),
    proxyFor,
    ...(otherWorkers && { otherWorkers }),
  })
  try {
    const { port } = listen(app, (otherWorkers?.number ?? 0) === 0 ? controlSocketIn(dataDirectory) : null)
    const models = app.state.catalog.models.map((model) => model.record.name)
    const facts = { port, firstStart, forgotten, hasConsole: consoleFiles !== null, models }
    return { facts, exposition: () => app.exposition(), close: () => app.close() }
  } catch (thrown) {
    if (firstStart !== null) await undoFirstStart(store, firstStart)
    await app.close()
    throw listenProblem(thrown, settings)
  }
}

function listen(app: App, socket: string | null): { readonly port: number } {
  if (socket === null) return app.listen()
  removeStaleSocket(socket)
  const listening = app.listen(socket)
  restrictSocket(socket)
  return listening
}
