/**
 * What does the strategy `affinity` bring? Simulated servers with caches, on virtual time (test/support/affinity), beside
 * one server with all the memory, beside the strategy that asks the least busy, and beside an oracle that knows all caches
 * and all work, and asks the server that will begin to answer first. And how long does a choice take?
 */
import { PrefixAffinity } from '#gateway/upstreams/affinity.ts'
import { selectUpstream } from '#gateway/upstreams/select-upstream.ts'
import { UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import { compositeOf, simulate, tracesOf } from '#test/support/affinity/prefix-servers.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { figure, markdown } from './table.ts'

const servers = 4
const cacheTokens = 400_000
const [, , scale = '300'] = process.argv

const rows = Object.entries(tracesOf(Number(scale))).map(([kind, talks]) => {
  const ideal = simulate(talks, { servers: 1, strategy: 'weighted', cacheTokens: servers * cacheTokens })
  const least = simulate(talks, { servers, strategy: 'weighted', cacheTokens })
  const oracle = simulate(talks, { servers, strategy: 'oracle', cacheTokens })
  const ours = simulate(talks, { servers, strategy: 'affinity', cacheTokens })
  return [
    kind,
    figure(ideal.hits * 100),
    figure(least.hits * 100),
    figure(ours.hits * 100),
    figure(ours.hits / ideal.hits, 3),
    figure(ours.firstTokenP50 / least.firstTokenP50, 2),
    figure(ours.firstTokenP99 / least.firstTokenP99, 2),
    figure(ideal.computedP50 / least.firstTokenP50, 2),
    figure(ideal.computedP99 / least.firstTokenP99, 2),
    figure(oracle.firstTokenP50 / least.firstTokenP50, 2),
    figure(oracle.firstTokenP99 / least.firstTokenP99, 2),
    figure(oracle.hits / ideal.hits, 3),
    figure(ours.busiest, 2),
    figure(least.busiest, 2),
  ]
})
console.log(
  markdown({
    title: 'Affinity',
    method: `${servers} servers with caches of ${cacheTokens} tokens each, ${scale} talks of a kind, on virtual time.`,
    rounds: null,
    columns: [
      'trace',
      'hits of one server with all memory, %',
      'least busy, %',
      'affinity, %',
      '÷ one server',
      'first token p50 ÷ least busy',
      'p99 ÷ least busy',
      'one server with all memory that lets nobody wait: p50',
      'its p99',
      'oracle: p50',
      'oracle: p99',
      'oracle: ÷ one server',
      'busiest ÷ mean',
      'the same, least busy',
    ],
    rows,
  }),
)

const model = compositeOf(8, 'affinity')
const health = new UpstreamHealth(() => ({ failuresToEject: 9, ejectionMs: 1, ejectionMaxMs: 1 }), new ManualClock())
const deps = { health, affinity: new PrefixAffinity() }
const bytes = crypto.getRandomValues(Buffer.alloc(32_768))
const choose = (): unknown => selectUpstream(model, new Set(), deps, { bytes, key: null })

/** Microseconds of CPU of a choice: other work of the machine does not count. @param change what is different at each request */
function choice(change: (request: number) => void): string {
  for (let warm = 0; warm < 20_000; warm += 1) choose()
  const count = 100_000
  const before = process.cpuUsage()
  for (let each = 0; each < count; each += 1) {
    change(each)
    choose()
  }
  const { user, system } = process.cpuUsage(before)
  return ((user + system) / count).toFixed(1)
}

console.log(`a choice for 8,000 tokens (32 KiB) that were there before: ${choice(() => undefined)} µs`)
const lastBlock = bytes.length - 512
console.log(`with another end each time: ${choice((at) => bytes.writeUInt32LE(at, lastBlock))} µs`)
console.log(`with another beginning each time: ${choice((at) => bytes.writeUInt32LE(at, 0))} µs`)
