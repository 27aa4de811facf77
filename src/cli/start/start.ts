/** `sluice start`: from a checked configuration to a running server, and to its orderly end. */
import { availableParallelism } from 'node:os'
import { processEnvironment } from '#config/sources/environment.ts'
import { discoverProviders } from '#providers/discover-local.ts'
import { StartProblem } from '#setup/start-problem.ts'
import type { ExitCode, GivenFlags, Invocation } from '../command.ts'
import { readConfiguration, type Configuration } from '../configuration.ts'
import { askControlSocket, controlSocketOf } from '../control-socket.ts'
import { shownAddress, startReport } from './start-report.ts'
import type { RunningServer } from './start-server.ts'
import { version } from '../version.ts'

export async function run({ flags, output }: Invocation): Promise<ExitCode> {
  const given = withListenFlags(flags)
  const configuration = readConfiguration(given)
  const { settings } = configuration
  const stopped = stopSignal()
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  await requireFreeDirectory(configuration)
  const server = await startWith(configuration, given, stopping.signal)
  const { port, firstStart, ...facts } = server.facts
  const address = shownAddress(settings, port)
  const found =
    firstStart !== null && settings['discovery.enabled']
      ? await discoverProviders({ environment: processEnvironment(), exceptPorts: [port] })
      : []
  output.result(
    ...startReport({ version, address, firstStart, ...facts, found, sameServer: sameServer(flags) }, output),
  )
  await stopped
  await server.close()
  return 0
}

/** The server in this process, or in as many as the settings ask for. */
async function startWith(configuration: Configuration, flags: GivenFlags, signal: AbortSignal): Promise<RunningServer> {
  const forgetCredentials = flags.has('forget-credentials')
  const count = configuration.settings['server.workers'] || availableParallelism()
  if (count === 1) {
    const { startServer } = await import('./start-server.ts')
    return startServer(configuration, { forgetCredentials, signal })
  }
  const { startWorkers } = await import('./workers/start-workers.ts')
  return startWorkers(configuration, { count, flags, forgetCredentials, signal })
}

/** Throws StartProblem when another server has the data directory. */
async function requireFreeDirectory({ settings }: Configuration): Promise<void> {
  if ((await askControlSocket(controlSocketOf(settings))) === 'none') return
  throw new StartProblem(
    `Another Sluice is running on the data directory ${settings.data_dir}. Stop it, or set another data_dir.`,
  )
}

/** The flags with --port and --host as the settings that they stand for. */
function withListenFlags(flags: GivenFlags): GivenFlags {
  const sets = ['port', 'host'].flatMap((flag) => flags.all(flag).map((value) => `server.${flag}=${value}`))
  return { ...flags, all: (name) => (name === 'set' ? [...flags.all(name), ...sets] : flags.all(name)) }
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
