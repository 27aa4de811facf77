/** `sluice start`: from a checked configuration to a running server, and to its orderly end. */
import { processEnvironment } from '#config/sources/environment.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { builtConsole, readConsoleFiles } from '#console/console-files.ts'
import { systemClock } from '#lib/clock.ts'
import { createLogger, writeToStderr } from '#observe/log.ts'
import { controlSocketIn, usageJournalsIn } from '#setup/data-directory.ts'
import { discoverProviders } from '#setup/discover-local.ts'
import { undoFirstStart } from '#setup/first-start.ts'
import { openInstallation, type Installation, type InstallationOptions } from '#setup/open-installation.ts'
import { StartProblem } from '#setup/start-problem.ts'
import { openApp, type App } from '#src/app.ts'
import type { ExitCode, GivenFlags, Invocation } from '../command.ts'
import { readConfiguration, type Configuration } from '../configuration.ts'
import { askControlSocket, controlSocketOf, removeStaleSocket, restrictSocket } from '../control-socket.ts'
import { shownAddress, startReport } from './start-report.ts'
import { version } from '../version.ts'

export async function run({ flags, output }: Invocation): Promise<ExitCode> {
  const configuration = readConfiguration(withListenFlags(flags))
  const { settings } = configuration
  const stopped = stopSignal()
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  const forgetCredentials = flags.has('forget-credentials')
  const server = await startServer(configuration, { forgetCredentials, signal: stopping.signal })
  const { app, firstStart, forgotten, port, hasConsole } = server
  const address = shownAddress(settings, port)
  const found =
    firstStart !== null && settings['discovery.enabled']
      ? await discoverProviders({ environment: processEnvironment(), exceptPorts: [port] })
      : []
  const models = app.state.catalog.models.map((model) => model.record.name)
  const report = { version, address, hasConsole, firstStart, forgotten, models, found, sameServer: sameServer(flags) }
  output.result(...startReport(report, output))
  await stopped
  await app.close()
  return 0
}

/** The flags with --port and --host as the settings that they stand for. */
function withListenFlags(flags: GivenFlags): GivenFlags {
  const sets = ['port', 'host'].flatMap((flag) => flags.all(flag).map((value) => `server.${flag}=${value}`))
  return { ...flags, all: (name) => (name === 'set' ? [...flags.all(name), ...sets] : flags.all(name)) }
}

interface RunningServer {
  readonly app: App
  readonly port: number
  readonly firstStart: Installation['firstStart']
  readonly forgotten: Installation['forgotten']
  readonly hasConsole: boolean
}

/** Opens everything and listens. Throws StartProblem; nothing stays open then, and no secret is lost unseen. */
async function startServer(
  { settings, sources, declared, proxyFor }: Configuration,
  asked: Pick<InstallationOptions, 'forgetCredentials' | 'signal'>,
): Promise<RunningServer> {
  if ((await askControlSocket(controlSocketOf(settings))) !== 'none') {
    throw new StartProblem(
      `Another Sluice is running on the data directory ${settings.data_dir}. Stop it, or set another data_dir.`,
    )
  }
  const clock = systemClock
  const logger = createLogger({
    level: settings['log.level'],
    format: settings['log.format'],
    clock,
    write: writeToStderr,
  })
  const { store, dataDirectory, sealer, firstStart, forgotten } = await openInstallation({
    settings,
    declared,
    clock,
    logger,
    setUp: true,
    ...asked,
  })
  const consoleFiles = readConsoleFiles(builtConsole)
  const live = new LiveSettings(settings, sources)
  const journalDirectory = usageJournalsIn(dataDirectory)
  const app = await openApp({
    settings: live,
    store,
    clock,
    logger,
    version,
    sealer,
    consoleFiles,
    journalDirectory,
    proxyFor,
  })
  const socket = controlSocketIn(dataDirectory)
  try {
    removeStaleSocket(socket)
    const { port } = app.listen(socket)
    restrictSocket(socket)
    return { app, port, firstStart, forgotten, hasConsole: consoleFiles !== null }
  } catch (thrown) {
    if (firstStart !== null) await undoFirstStart(store, firstStart)
    await app.close()
    throw listenProblem(thrown, settings['server.host'], settings['server.port'])
  }
}

function listenProblem(thrown: unknown, host: string, port: number): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'EADDRINUSE') {
    return new StartProblem(
      `Port ${port} on ${host} is in use. Stop what uses it, or set server.port to another one.`,
      thrown,
    )
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new StartProblem(
      `Port ${port} on ${host} may not be used by this user. Set server.port to one above 1023.`,
      thrown,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartProblem(
      `${host} is not an address of this machine. Set server.host to one of its addresses, or to 0.0.0.0.`,
      thrown,
    )
  }
  return thrown
}

/** Resolves at the first signal to stop; the second ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0
    const onSignal = (): void => {
      signals += 1
      if (signals > 1) process.exit(1)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

/** The flags that lead another command to the same server. */
function sameServer(flags: GivenFlags): string {
  const config = flags.get('config')
  const sets = flags.all('set').filter((assignment) => /^(data_dir|database\.url)=/.test(assignment))
  return [...(config === undefined ? [] : ['--config', config]), ...sets.flatMap((assignment) => ['--set', assignment])]
    .map((word) => (/^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .map((word) => ` ${word}`)
    .join('')
}
