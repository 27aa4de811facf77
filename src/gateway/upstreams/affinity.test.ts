/** The strategy `affinity`: what belongs together goes to one upstream, none has too much, and few move when upstreams change. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Upstream } from '#catalog/upstream.ts'
import { compositeOf, randomOf, simulate, tracesOf } from '#test/support/affinity/prefix-servers.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { PrefixAffinity, type Prefix } from './affinity.ts'
import { selectUpstream } from './select-upstream.ts'
import { UpstreamHealth } from './upstream-health.ts'

interface Rig {
  readonly upstreams: readonly Upstream[]
  /** Sends a request and returns whom it went to; it is under way until it is disposed. */
  readonly send: (prefix: Prefix | null, without?: ReadonlySet<Upstream>) => { readonly to: Upstream } & Disposable
  readonly inFlight: (upstream: Upstream) => number
}

function rig(count: number): Rig {
  const model = compositeOf(count, 'affinity')
  const options = { failuresToEject: 9, ejectionMs: 1, ejectionMaxMs: 1 }
  const health = new UpstreamHealth(() => options, new ManualClock())
  const deps = { health, affinity: new PrefixAffinity(), random: randomOf(count) }
  return {
    upstreams: model.upstreams,
    send(prefix, without = new Set()) {
      const to = selectUpstream(model, without, deps, prefix)!
      const attempt = health.begin(to.model.id)
      return { to, [Symbol.dispose]: () => attempt[Symbol.dispose]() }
    },
    inFlight: ({ model: { id } }) => health.inFlight(id),
  }
}

const noBytes = new Uint8Array(0)
const named = (key: string): Prefix => ({ bytes: noBytes, key })
const said = (text: string): Prefix => ({ bytes: Buffer.from(text), key: null })

/** Where a request goes when nothing is under way. */
function place({ send }: Rig, prefix: Prefix, without?: ReadonlySet<Upstream>): Upstream {
  using sent = send(prefix, without)
  return sent.to
}

const counts = [2, 3, 8, 30] as const

describe.each(counts)('of %i upstreams', (count) => {
  test('requests of one name go to one of them, and names are spread evenly', () => {
    const gateway = rig(count)
    const places = Array.from({ length: 2000 }, (_, at) => place(gateway, named(`name ${at}`)))
    expect(Array.from({ length: 2000 }, (_, at) => place(gateway, named(`name ${at}`)))).toEqual(places)
    for (const upstream of gateway.upstreams) {
      const share = places.filter((each) => each === upstream).length / (2000 / count)
      expect(share).toBeWithin(0.5, 1.5)
    }
  })

  test('one that goes moves only its own names, and they return with it', () => {
    const gateway = rig(count)
    const names = Array.from({ length: 500 }, (_, at) => named(`name ${at}`))
    const before = names.map((name) => place(gateway, name))
    const gone = gateway.upstreams[count >> 1]!
    const without = names.map((name) => place(gateway, name, new Set([gone])))
    for (const [at, upstream] of before.entries()) {
      if (upstream === gone) expect(without[at]).not.toBe(gone)
      else expect(without[at]).toBe(upstream)
    }
    expect(names.map((name) => place(gateway, name))).toEqual(before)
  })

  test('none ever has more than its share and a quarter, twice it without a name, or four, however alike the requests are', () => {
    const prefixes = fc.constantFrom(named('a'), named('b'), said('x'.repeat(4000)))
    const request = fc.record({ prefix: prefixes, ends: fc.nat({ max: 3 }) })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 300 }), (requests) => {
        const gateway = rig(count)
        const running: ReturnType<Rig['send']>[] = []
        for (const { prefix, ends } of requests) {
          const sent = gateway.send(prefix)
          running.push(sent)
          const share = prefix.key === null ? 2 : 1.25
          const bound = Math.max(4, Math.ceil((share * running.length) / count))
          expect(gateway.inFlight(sent.to)).toBeLessThanOrEqual(bound)
          if (ends === 0) for (const done of running.splice(0)) done[Symbol.dispose]()
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe('a conversation', () => {
  test('stays where its earlier turns were, beside others with the same system prompt', () => {
    const gateway = rig(4)
    const system = 'You are helpful. '.repeat(400)
    const texts = Array.from({ length: 40 }, (_, at) => `${system}conversation ${at} `)
    const last = new Map<number, Upstream>()
    let moved = 0
    for (let turn = 0; turn < 12; turn += 1) {
      const running: Disposable[] = []
      for (const [at, text] of texts.entries()) {
        const sent = gateway.send(said(text))
        running.push(sent)
        // From the second turn on there is enough that only this conversation has.
        if (turn > 1 && sent.to !== last.get(at)) moved += 1
        if (turn > 0) last.set(at, sent.to)
        texts[at] = `${text}${`turn ${turn} of ${at}. `.repeat(60)}`
      }
      for (const each of running) each[Symbol.dispose]()
    }
    // Some may move for the sake of equal work, while there is little to compute once more.
    expect(moved).toBeLessThan(0.1 * 40 * 10)
    expect(new Set(last.values()).size).toBe(4)
  })

  test('goes elsewhere while its upstream cannot be asked, and requests without a beginning go anywhere', () => {
    const gateway = rig(3)
    const talk = said('a conversation '.repeat(500))
    const first = place(gateway, talk)
    expect(place(gateway, talk)).toBe(first)
    const second = place(gateway, talk, new Set([first]))
    expect(second).not.toBe(first)
    expect([first, second]).toContain(place(gateway, talk))
    expect(gateway.upstreams).toContain(place(gateway, said('')))
    using none = gateway.send(null)
    expect(gateway.upstreams).toContain(none.to)
  })

  test('is remembered in bounded memory, whatever comes', () => {
    const gateway = rig(3)
    const random = randomOf(5)
    // What other tests of the process have left is not collected between the two looks.
    Bun.gc(true)
    const before = process.memoryUsage().heapUsed
    for (let each = 0; each < 3000; each += 1) {
      const bytes = Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256))
      place(gateway, { bytes: Buffer.alloc(300_000, bytes), key: null })
    }
    Bun.gc(true)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * 1024 * 1024)
  })
})

test('prompts that are alike are computed by several, of which none has more than its share of the work and a quarter', () => {
  const gateway = rig(4)
  const work = new Map(gateway.upstreams.map((upstream) => [upstream, 0]))
  const random = randomOf(11)
  const running: Disposable[] = []
  const system = 'You are helpful. '.repeat(300)
  for (let each = 0; each < 4000; each += 1) {
    const text = `${system}${each % 50 < 40 ? 'popular ' : `rare ${each} `}`.repeat(1 + Math.floor(random() * 3))
    const prefix = said(text)
    const sent = gateway.send(prefix)
    running.push(sent)
    if (running.length > 12) running.shift()?.[Symbol.dispose]()
    const { to } = sent
    work.set(to, (work.get(to) ?? 0) + (prefix.uncached ?? 0) + 1024)
  }
  const all = [...work.values()]
  expect(Math.max(...all) / (all.reduce((sum, each) => sum + each, 0) / 4)).toBeLessThanOrEqual(1.25)
})

test('a lone conversation stays at its upstream, however much work that has had', () => {
  const gateway = rig(4)
  // Below the first step there is nothing to go by.
  const texts = Array.from({ length: 200 }, (_, turn) => 'a turn of the talk. '.repeat(30 * (turn + 1)))
  expect(new Set(texts.map((text) => place(gateway, said(text)))).size).toBe(1)
})

describe('of simulated servers', () => {
  test.each(Object.entries(tracesOf(60)))(
    '%s finds more in their caches, sooner, than where the least busy is asked',
    (_kind, talks) => {
      const cacheTokens = 400_000
      const least = simulate(talks, { servers: 4, strategy: 'weighted', cacheTokens })
      const ours = simulate(talks, { servers: 4, strategy: 'affinity', cacheTokens })
      expect(ours.hits).toBeGreaterThan(least.hits * 1.1)
      expect(ours.firstTokenP50).toBeLessThan(least.firstTokenP50 * 0.6)
      expect(ours.firstTokenP99).toBeLessThan(least.firstTokenP99)
      expect(ours.busiest).toBeLessThanOrEqual(1.25)
    },
  )
})
