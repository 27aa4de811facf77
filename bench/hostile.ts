/**
 * Does a mixture of hostile requests affect other clients? For some minutes random members of every
 * family of test/support/hostile are sent to a real server, four at a time, beside 50 clients that
 * stream chats. Printed are what the streams saw, what the server answered, and its memory.
 *
 * Run by hand: `bun bench/hostile.ts [MINUTES]`, 10 when left out. Exit code 1 when a stream was not
 * whole, an error was the server's own, a request was left in flight, or memory stayed more than a
 * fifth above where it was.
 */
import { MeasuredServer } from '#test/support/hostile/measured-server.ts'
import { familiesOf, operationsOf } from '#test/support/hostile/operations.ts'

const minutes = Number(process.argv[2] ?? 10)
const streams = 50
const hostileAtOnce = 4
const growthMax = 1.2
const settleSeconds = 60

await using server = await MeasuredServer.start({ SLUICE_DOCUMENTS_MAX_BACKLOG: '100000' })
const families = (await operationsOf(server)).flatMap((operation) =>
  familiesOf(operation).map((family) => ({ operation: operation.name, family })),
)

async function streamOnce(): Promise<string> {
  const response = await server.server.chat(server.key, '/long 60 /pace 20')
  const text = await response.text()
  return response.status === 200 && text.endsWith('data: [DONE]\n\n') ? 'whole' : `status ${response.status}, not whole`
}

const seen = new Map<string, number>()
const answered = new Map<number, number>()
function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

// What is filled once (caches, compiled code, reading processes) is filled before the memory is read.
for (const { family } of families.filter((_, at) => at % 7 === 0)) await server.send(family.make(family.bytesMax / 16))
await Promise.all(Array.from({ length: streams }, streamOnce))
const before = await server.residentBytes()

const endsAt = performance.now() + minutes * 60_000
async function repeat(once: () => Promise<void>): Promise<void> {
  while (performance.now() < endsAt) await once()
}
let longestMs = 0
await Promise.all([
  ...Array.from({ length: streams }, () => repeat(async () => count(seen, await streamOnce().catch(String)))),
  ...Array.from({ length: hostileAtOnce }, () =>
    repeat(async () => {
      const { family } = families[Math.floor(Math.random() * families.length)] ?? {}
      if (family === undefined) return
      count(answered, await server.send(family.make(family.bytesMax / 2 ** Math.floor(Math.random() * 4))))
    }),
  ),
  repeat(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    longestMs = Math.max(longestMs, (await server.measure([])).longestMs)
  }),
])
await new Promise((resolve) => setTimeout(resolve, settleSeconds * 1000))
const after = await server.residentBytes()
const inFlight = await server.metric('sluice_inflight_requests')

const own = [...answered].filter(([status]) => status >= 500 && status !== 503).reduce((sum, [, n]) => sum + n, 0)
const broken = [...seen].filter(([end]) => end !== 'whole').reduce((sum, [, n]) => sum + n, 0)
console.log('| figure | |')
console.log('|---|---|')
console.log(`| streams whole, not whole | ${seen.get('whole') ?? 0}, ${broken} |`)
console.log(
  `| hostile requests by status | ${[...answered]
    .sort(([a], [b]) => a - b)
    .map(([status, n]) => `${status}: ${n}`)
    .join(', ')} |`,
)
console.log(
  `| longest work of the main thread, ms (a scan of 1 MiB: ${server.scanMs.toFixed(2)}) | ${longestMs.toFixed(1)} |`,
)
console.log(`| resident memory before, after, MB | ${(before / 1e6).toFixed(0)}, ${(after / 1e6).toFixed(0)} |`)
console.log(`| requests in flight after | ${inFlight} |`)
for (const [end, n] of seen) if (end !== 'whole') console.log(`${n} × ${end}`)
process.exitCode = broken > 0 || own > 0 || inFlight > 0 || after > before * growthMax ? 1 : 0
