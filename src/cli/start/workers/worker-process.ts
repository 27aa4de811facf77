/**
 * A process that serves the port together with others. It does what the supervisor says and ends in an orderly way when
 * that says so, at a signal of its own, or when the supervisor is gone.
 *
 * Started by worker.ts, never imported.
 */
import { StartProblem } from '#setup/start-problem.ts'
import { within } from '#lib/within.ts'
import { readConfiguration } from '../../configuration.ts'
import { startServer } from '../start-server.ts'
import type { Expositions, FromWorker, ToWorker, WorkerOrder } from './protocol.ts'

/** Longer than the supervisor waits for a worker. */
const gatherMs = 2000

const stopping = new AbortController()
const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
/** What was asked of the supervisor and is not answered yet. All scrapes of this time share it. */
let gathering: PromiseWithResolvers<Expositions> | null = null
let exposition: (() => Promise<string>) | null = null

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
process.on('disconnect', () => stopping.abort())
process.on('message', (message: ToWorker) => void take(message))

async function take(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      await serve(message.order)
      return
    case 'expose':
      send({ kind: 'exposition', text: (await exposition?.()) ?? '' })
      return
    case 'exposed':
      gathering?.resolve(message.expositions)
      gathering = null
      return
    case 'look':
      send({ kind: 'alive' })
      return
    case 'stop':
      stopping.abort()
  }
}

async function serve({ number, configFile, sets, forgetCredentials }: WorkerOrder): Promise<void> {
  try {
    const flags = {
      get: (name: string) => (name === 'config' ? configFile : undefined),
      all: (name: string) => (name === 'set' ? sets : []),
    }
    const server = await startServer(readConfiguration(flags), {
      forgetCredentials,
      signal: stopping.signal,
      otherWorkers: { number, expositions },
    })
    exposition = () => server.exposition()
    send({ kind: 'ready', facts: server.facts })
    await stopped
    await server.close()
    process.disconnect?.()
  } catch (thrown) {
    if (!(thrown instanceof StartProblem)) throw thrown
    send({ kind: 'refused', lines: thrown.lines })
    process.exitCode = 2
    process.disconnect?.()
  }
}

async function expositions(): Promise<ReadonlyMap<number, string | null>> {
  if (gathering === null) {
    gathering = Promise.withResolvers()
    send({ kind: 'gather' })
  }
  return new Map(await within(gatherMs, gathering.promise))
}

function send(message: FromWorker): void {
  process.send?.(message)
}
