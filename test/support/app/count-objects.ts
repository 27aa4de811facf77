/**
 * Prints what one request makes the runtime allocate, by type, and what it asks of it (timers, listeners, writes to
 * sockets, parts of an answer), as one line of JSON: `bun count-objects.ts`. The real app,
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

/** What the runtime was asked for; counted when `countCalls` has been called. */
const asked = { timer: 0, listener: 0, write: 0, 'part of the answer': 0 }
/** Of all sockets of the runtime. */
let socketPrototype: object = {}

await using gateway = await startGateway({ set: ['usage.flush_milliseconds=600000'] })
gateway.upstream.script(json(chatCompletion()))
const through = await client(gateway.port, '/ai/v1/chat/completions', gateway.keys.main.secret)
const direct = await client(Number(new URL(gateway.upstream.url).port), '/v1/chat/completions', 'none')
for (const ask of [direct, through]) for (let index = 0; index < warmUps; index += 1) await ask()
const [alone, whole] = [await counted(direct), await counted(through)]
countCalls()
const [askedAlone, askedWhole] = [await called(direct), await called(through)]
console.log(JSON.stringify({ objects: difference(whole, alone), asked: difference(askedWhole, askedAlone) }))
process.exit(0)

/** What the first takes more than the other, for each request. */
function difference(more: Counts, less: Counts): Counts {
  return Object.fromEntries(Object.keys(more).map((type) => [type, per(more, type) - per(less, type)]))
}

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
    all.push(since(before, after))
  }
  return leastOf(all)
}

function since(before: Counts, after: Counts): Counts {
  return Object.fromEntries(Object.keys(after).map((type) => [type, (after[type] ?? 0) - (before[type] ?? 0)]))
}

function leastOf(all: readonly Counts[]): Counts {
  const least = (type: string): number => Math.min(...all.map((each) => each[type] ?? 0))
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((type) => [type, least(type)]))
}

/** From now on these calls are counted. Not before: counting them makes objects of its own. */
function countCalls(): void {
  const count = (owner: object, method: string, as: keyof typeof asked): void => {
    const original = Reflect.get(owner, method) as (...args: unknown[]) => unknown
    const counting = function (this: unknown, ...args: unknown[]): unknown {
      asked[as] += 1
      return original.apply(this, args)
    }
    Reflect.set(owner, method, Object.assign(counting, original))
  }
  for (const timer of ['setTimeout', 'setInterval', 'setImmediate']) count(globalThis, timer, 'timer')
  count(EventTarget.prototype, 'addEventListener', 'listener')
  count(socketPrototype, 'write', 'write')
}

/** The calls of the least of many short trials, as above. */
async function called(ask: () => Promise<void>): Promise<Counts> {
  const all: Counts[] = []
  for (let trial = 0; trial < trials; trial += 1) {
    const before = { ...asked }
    for (let index = 0; index < requests; index += 1) await ask()
    all.push(since(before, { ...asked }))
  }
  return leastOf(all)
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
        asked['part of the answer'] += 1
        if (answer.toString('latin1', 9, 12) === '200') answered.resolve()
        else answered.reject(new Error(answer.toString()))
      },
    },
  })
  socketPrototype = Object.getPrototypeOf(socket) as object
  return () => {
    answered = Promise.withResolvers<void>()
    socket.write(bytes)
    return answered.promise
  }
}
