/**
 * Prints what one request makes the runtime allocate, by type, as one line of JSON: `bun count-objects.ts`. The real app,
 * its upstream and a client share this process, of its own because a count is of the whole heap; what the same request
 * takes when it goes to the upstream directly is taken off.
 */
import { heapStats } from 'bun:jsc'
import { json } from '../upstream/upstream-behaviours.ts'
import { chatCompletion } from '../upstream/upstream-samples.ts'
import { messages, startGateway } from './gateway-app.ts'

const warmUps = 400
const requests = 20
const trials = 25

type Counts = Readonly<Record<string, number>>

await using gateway = await startGateway({ set: ['usage.flush_milliseconds=600000'] })
gateway.upstream.script(json(chatCompletion()))
const through = await client(gateway.port, '/ai/v1/chat/completions', gateway.keys.main.secret)
const direct = await client(Number(new URL(gateway.upstream.url).port), '/v1/chat/completions', 'none')
for (const ask of [direct, through]) for (let index = 0; index < warmUps; index += 1) await ask()
const [alone, whole] = [await counted(direct), await counted(through)]
console.log(
  JSON.stringify(Object.fromEntries(Object.keys(whole).map((type) => [type, per(whole, type) - per(alone, type)]))),
)
process.exit(0)

function per(counts: Counts, type: string): number {
  return (counts[type] ?? 0) / requests
}

/** The least of many short trials: the app does other things, too, more of them while a busy machine is slow. */
async function counted(ask: () => Promise<void>): Promise<Counts> {
  const all: Counts[] = []
  for (let trial = 0; trial < trials; trial += 1) {
    Bun.gc(true)
    const before = heapStats().objectTypeCounts
    for (let index = 0; index < requests; index += 1) await ask()
    const after = heapStats().objectTypeCounts
    all.push(Object.fromEntries(Object.keys(after).map((type) => [type, (after[type] ?? 0) - (before[type] ?? 0)])))
  }
  const least = (type: string): number => Math.min(...all.map((each) => each[type] ?? 0))
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((type) => [type, least(type)]))
}

/** Sends a request over one connection and resolves with its answer, which is one read. */
async function client(port: number, path: string, key: string): Promise<() => Promise<void>> {
  const body = JSON.stringify({ model: 'plain', messages })
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${key}\r\n`
  const bytes = `${head}content-length: ${body.length}\r\n\r\n${body}`
  let answered = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_socket, answer) => {
        if (answer.toString('latin1', 9, 12) === '200') answered.resolve()
        else answered.reject(new Error(answer.toString()))
      },
    },
  })
  return () => {
    answered = Promise.withResolvers<void>()
    socket.write(bytes)
    return answered.promise
  }
}
