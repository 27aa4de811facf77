/**
 * Sends requests that begin alike to one upstream. A model server keeps what it has computed of a prompt and computes only
 * what follows, so a conversation is answered sooner where its earlier turns were. What a client names as belonging
 * together goes by that name; for all others a table remembers which upstreams have had which beginnings.
 *
 * No upstream gets more than its share of the requests in flight and a quarter, or a handful: consistent hashing with
 * bounded loads (V. Mirrokni, M. Thorup, M. Zadimoghaddam, 2018), with rendezvous hashing in place of the ring, so that
 * upstreams that come and go move only their own part.
 */
import type { Upstream } from '#catalog/upstream.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** What tells which requests belong together. */
export interface Prefix {
  /** The body of the request. */
  readonly bytes: Uint8Array
  /** The client's own name for what belongs together; null for none. */
  readonly key: string | null
}

/** One of the upstreams that have room, the one with the least to do. */
export type LeastLoaded = (upstreams: readonly Upstream[]) => Upstream

/** More than an equal share of the requests in flight, as a factor. */
const shareMax = 1.25
/** Up to so many at once an upstream counts as idle. */
const idleMax = 4
/** Beginnings differ by small steps near the start of a body, and by larger ones behind it. Bytes. */
const steps = [
  { block: 512, until: 32_768 },
  { block: 4096, until: 262_144 },
] as const
/** Four bytes in so many are looked at: a choice takes microseconds. */
const sampledEvery = 16
const prime = 0x9e3779b1
/** A beginning that is less of the request than this saves little, and would draw all that is new to one upstream. */
const worthwhile = 0.25
/** Beginnings that are remembered for a model, of 100 bytes each: the last half of them for certain. */
const entriesMax = 65_536
const tablesMax = 100
/** Upstreams in a table: the bits of one small integer. */
const bitsMax = 30

export class PrefixAffinity {
  readonly #tables = new Map<string, PrefixTable>()

  /** @param upstreams at least one, all available; @param leastLoaded chooses where nothing is known */
  choose(
    modelId: string,
    upstreams: readonly Upstream[],
    prefix: Prefix,
    { health, leastLoaded }: { readonly health: UpstreamHealth; readonly leastLoaded: LeastLoaded },
  ): Upstream {
    const free = withRoom(upstreams, health)
    if (prefix.key !== null) return byName(free, prefix.key) ?? leastLoaded(free)
    return this.#tableOf(modelId).choose(free, beginnings(prefix.bytes), leastLoaded)
  }

  /** Keeps the tables of the models that were asked last. */
  #tableOf(modelId: string): PrefixTable {
    const table = this.#tables.get(modelId) ?? new PrefixTable()
    this.#tables.delete(modelId)
    this.#tables.set(modelId, table)
    for (const [oldest] of this.#tables) {
      if (this.#tables.size <= tablesMax) break
      this.#tables.delete(oldest)
    }
    return table
  }
}

/** Those that may have one more. There is always one: together they may have more than there is. */
function withRoom(upstreams: readonly Upstream[], health: UpstreamHealth): readonly Upstream[] {
  let [inFlight, weight] = [1, 0]
  for (const upstream of upstreams) {
    inFlight += health.load(upstream.id)
    weight += upstream.weight
  }
  const ofOne = (shareMax * inFlight) / weight
  return upstreams.filter(({ id, weight: own }) => health.load(id) < Math.max(idleMax, Math.ceil(ofOne * own)))
}

/** Rendezvous hashing: the one with the highest score of this name, in proportion to the weights. */
function byName(upstreams: readonly Upstream[], name: string): Upstream | null {
  const seed = Bun.hash.xxHash32(name)
  let [best, highest]: [Upstream | null, number] = [null, -Infinity]
  for (const upstream of upstreams) {
    const drawn = (Bun.hash.xxHash32(upstream.id, seed) + 0.5) / 2 ** 32
    const score = -upstream.weight / Math.log(drawn)
    if (score > highest) [best, highest] = [upstream, score]
  }
  return best
}

/**
 * A hash of each beginning of the body, the shortest first; each goes on from the one before. Texts that differ in a few
 * letters may have the same.
 */
function beginnings(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const hashes: number[] = []
  let at = 0
  // Four that do not wait for each other: one after the other takes three times as long.
  let [a, b, c, d] = [0, 0, 0, 0]
  for (const { block, until } of steps) {
    for (; at + block <= bytes.length && at < until; at += block) {
      for (let word = at; word < at + block; word += 4 * sampledEvery) {
        a = Math.imul(a ^ view.getInt32(word, true), prime)
        b = Math.imul(b ^ view.getInt32(word + sampledEvery, true), prime)
        c = Math.imul(c ^ view.getInt32(word + 2 * sampledEvery, true), prime)
        d = Math.imul(d ^ view.getInt32(word + 3 * sampledEvery, true), prime)
      }
      hashes.push(mixed(mixed(mixed(a, b), c), d))
    }
  }
  return hashes
}

function mixed(one: number, other: number): number {
  const product = Math.imul(one ^ (one >>> 15) ^ other, prime)
  return product ^ (product >>> 13)
}

/** Which upstreams of one model have had which beginnings. Two that collide by their hash cost one miss of a cache. */
class PrefixTable {
  /**
   * Bits of upstreams by hash: what was used since the table was last half full, and what before. Taking the oldest entry
   * out of one map again and again would look at the gaps of all that were taken out before.
   */
  #recent = new Map<number, number>()
  #earlier = new Map<number, number>()
  readonly #bits = new Map<string, number>()

  /**
   * The one with the least to do: among those that had the longest of these beginnings, where that is a good part of the
   * request; else among all.
   */
  choose(free: readonly Upstream[], hashes: readonly number[], leastLoaded: LeastLoaded): Upstream {
    const mask = free.reduce((sum, upstream) => sum | this.#bitOf(upstream), 0)
    let known = hashes.length - 1
    while (known >= 0 && (this.#holdersOf(hashes[known] ?? 0) & mask) === 0) known -= 1
    const holders = known < 0 ? 0 : this.#holdersOf(hashes[known] ?? 0)
    const isMuch = known + 1 >= hashes.length * worthwhile
    const chosen = leastLoaded(isMuch && holders > 0 ? free.filter((each) => (this.#bitOf(each) & holders) > 0) : free)
    // The longest one that was known is in use; shorter ones matter only when it is gone.
    if (known >= 0) this.#keep(hashes[known] ?? 0, holders)
    for (let at = known + 1; at < hashes.length; at += 1) {
      const hash = hashes[at] ?? 0
      this.#keep(hash, this.#holdersOf(hash) | this.#bitOf(chosen))
    }
    return chosen
  }

  #holdersOf(hash: number): number {
    return this.#recent.get(hash) ?? this.#earlier.get(hash) ?? 0
  }

  #keep(hash: number, holders: number): void {
    this.#recent.set(hash, holders)
    if (this.#recent.size < entriesMax / 2) return
    this.#earlier = this.#recent
    this.#recent = new Map()
  }

  /** When no bit is left, all is forgotten: upstreams that are gone free theirs so. */
  #bitOf({ id }: Upstream): number {
    const known = this.#bits.get(id)
    if (known !== undefined) return known
    if (this.#bits.size >= bitsMax) {
      this.#bits.clear()
      this.#recent.clear()
      this.#earlier.clear()
    }
    const bit = 1 << this.#bits.size
    this.#bits.set(id, bit)
    return bit
  }
}
