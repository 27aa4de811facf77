/**
 * The load generator, a process of its own: `bun bench/load.ts '<LoadOrder as JSON>'` prints a
 * LoadReport as JSON. What the shapes of load are for is told by the question that orders them.
 */
import { Connection, requestBytes, type Destination, type Outcome } from './http-client.ts'

export interface LoadOrder {
  readonly destination: Destination
  /**
   * - `closed`: `width` connections, each sending its next request when the last is answered.
   * - `open`: `width` new requests per second at even distances, however long answers take.
   * - `live`: `width` streams kept alive; half of the clients leave early, each is replaced at once.
   */
  readonly shape: 'closed' | 'open' | 'live'
  readonly width: number
  /** No request starts later; those under way are awaited. */
  readonly seconds: number
  /** Token events of a good answer; 0 for one that is not a stream. */
  readonly tokens: number
  /** How long an undisturbed stream takes. Milliseconds. */
  readonly streamMs: number
}

export interface LoadReport {
  readonly requests: number
  /** Answers that were refused, broke off, or lacked events. */
  readonly failures: number
  /** Streams that this side left early, as ordered. */
  readonly left: number
  readonly tokens: number
  /** From the first request to the last answer. Seconds. */
  readonly seconds: number
  /** From the moment a request was due to its first token. Milliseconds, in no order. */
  readonly firstTokenMs: readonly number[]
  /** Times at which a token was expected by the plan of `open` but its request left late. Milliseconds, worst. */
  readonly worstLagMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as LoadOrder
const bytes = requestBytes(order.destination)
const startedAt = performance.now()
const endAt = startedAt + order.seconds * 1000
const firstTokenMs: number[] = []
const totals = { requests: 0, failures: 0, left: 0, tokens: 0, worstLagMs: 0 }

/** Answers that have not ended this long after the last request are failures. Milliseconds. */
const patienceMs = 15_000

function isGood(outcome: Outcome): boolean {
  if (outcome.status !== 200 || !outcome.complete) return false
  return order.tokens === 0 || (outcome.done && outcome.tokens === order.tokens)
}

function sleepUntil(due: number): Promise<void> {
  return Bun.sleep(Math.max(0, due - performance.now()))
}

/** One request from start to end; `dueAt` is when it should have left. */
async function once(connection: Connection, dueAt: number, leaveAfterMs: number | null): Promise<void> {
  totals.requests += 1
  const context = connection.context(bytes)
  let hasLeft = false
  const leave = () => {
    hasLeft = true
    context.leave()
  }
  const latest = Math.max(endAt, performance.now()) + order.streamMs + patienceMs - performance.now()
  const timer = setTimeout(leave, leaveAfterMs ?? latest)
  const outcome = await context.outcome
  clearTimeout(timer)
  totals.tokens += outcome.tokens
  if (context.firstTokenAt !== null) firstTokenMs.push(context.firstTokenAt - dueAt)
  if (hasLeft && leaveAfterMs !== null) totals.left += 1
  else if (!isGood(outcome)) totals.failures += 1
}

async function closed(): Promise<void> {
  const workers = Array.from({ length: order.width }, async (_, index) => {
    const connection = new Connection(order.destination.port)
    // Streams that begin together would also speak together: spread them over one stream's length.
    await sleepUntil(startedAt + (order.streamMs * index) / order.width)
    while (performance.now() < endAt) await once(connection, performance.now(), null)
    connection.close()
  })
  await Promise.all(workers)
}

async function open(): Promise<void> {
  const idle: Connection[] = []
  const running: Promise<void>[] = []
  const count = order.width * order.seconds
  for (let index = 0; index < count; index++) {
    const dueAt = startedAt + (index * 1000) / order.width
    if (dueAt > performance.now()) await sleepUntil(dueAt)
    totals.worstLagMs = Math.max(totals.worstLagMs, performance.now() - dueAt)
    const connection = idle.pop() ?? new Connection(order.destination.port)
    running.push(once(connection, dueAt, null).then(() => void idle.push(connection)))
  }
  await Promise.all(running)
  for (const connection of idle) connection.close()
}

async function live(): Promise<void> {
  // A fixed sequence, so that every run leaves at the same moments.
  let seed = 1
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const rampMs = Math.min(5000, order.seconds * 200)
  const clients = Array.from({ length: order.width }, async (_, index) => {
    await sleepUntil(startedAt + (rampMs * index) / order.width)
    for (let turn = index; performance.now() < endAt; turn++) {
      const connection = new Connection(order.destination.port)
      await once(connection, performance.now(), turn % 2 === 0 ? random() * order.streamMs : null)
      connection.close()
    }
  })
  await Promise.all(clients)
}

await { closed, open, live }[order.shape]()
const report: LoadReport = { ...totals, seconds: (performance.now() - startedAt) / 1000, firstTokenMs }
console.log(JSON.stringify(report))
process.exit(0)
