/**
 * Sends requests that begin alike to one upstream. A model server keeps what it has computed of a prompt and computes only
 * what follows, so a conversation is answered sooner where its earlier turns were. What a client names as belonging
 * together goes by that name; for all others a table remembers which upstreams have had which beginnings.
 *
 * Among upstreams that have room the one is asked that begins to answer first, as far as the gateway can know: by the bytes
 * that it still has to compute, of other prompts and of this one.
 *
 * Names go by consistent hashing with bounded loads (V. Mirrokni, M. Thorup, M. Zadimoghaddam, 2018): none has more than
 * its share of the requests in flight and a quarter, or a handful. Rendezvous hashing takes the place of the ring, so that
 * upstreams that come and go move only their own part. Where beginnings decide, an upstream may have twice its share of the
 * requests in flight: of the few that there are chance alone makes a quarter more, and a conversation that is moved for that
 * is computed once more. There the work of the last while is what stays below a quarter more than the mean.
 */
import type { Upstream } from '#catalog/upstream.ts'
import { RecentBits } from './recent-bits.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** What tells which requests belong together. */
export interface Prefix {
  /** The body of the request. */
  readonly bytes: Uint8Array
  /** The client's own name for what belongs together; null for none. */
  readonly key: string | null
  /** Bytes that the chosen upstream has not had; a choice says so. */
  uncached?: number
}

/** One of the upstreams that have room, the one with the least to do. */
export type LeastLoaded = (upstreams: readonly Upstream[]) => Upstream

export interface ChooseDeps {
  readonly health: UpstreamHealth
  readonly leastLoaded: LeastLoaded
}

/** Most of an equal share of the requests in flight, as a factor, for names and for beginnings. */
const shareMax = { name: 1.25, beginning: 2 }
/** More of an equal share of the work of the last while counts as work that is still to be done. */
const workShare = 1.15
/** Up to so many at once an upstream counts as idle. */
const idleMax = 4
/** From so many on it is left for one that has had less work. */
const busyFrom = 2
/** Beginnings differ by small steps near the start of a body, and by larger ones behind it. Bytes. */
const steps = [
  { block: 512, until: 8192 },
  { block: 2048, until: 32_768 },
  { block: 4096, until: 262_144 },
] as const
/** As many as the steps make at most. */
const beginningsMax = 84
/** So many times four bytes of each step are looked at: a choice takes microseconds. */
const samplesEach = 32
const prime = 0x9e3779b1
/** A beginning that is less of the request than this saves little, and would draw all that is new to one upstream. */
const worthwhile = 0.25
/** Beginnings that are remembered for a model, of 32 bytes each at most: the last half of them for certain. */
const entriesMax = 65_536
/** Costs that differ by less are alike. */
const alikeBytes = 512
/** What an answer adds to the work of an upstream. */
const answerBytes = 1024
/** Work is remembered for some 64 requests of each upstream. */
const rememberedEach = 64
const tablesMax = 100
/** Upstreams in a table: the bits of one small integer. */
const bitsMax = 30

export class PrefixAffinity {
  readonly #tables = new Map<string, PrefixTable>()

  /** @param upstreams at least one, all available; @param leastLoaded chooses where nothing is known */
  choose(modelId: string, upstreams: readonly Upstream[], prefix: Prefix, deps: ChooseDeps): Upstream {
    const { key } = prefix
    const free = withRoom(upstreams, deps.health, key === null ? shareMax.beginning : shareMax.name)
    return key === null
      ? this.#tableOf(modelId).choose(free, prefix, deps)
      : (byName(free, key) ?? deps.leastLoaded(free))
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
function withRoom(upstreams: readonly Upstream[], health: UpstreamHealth, most: number): readonly Upstream[] {
  const loads = upstreams.map(({ id }) => health.load(id))
  if (loads.every((load) => load < idleMax)) return upstreams
  const inFlight = loads.reduce((total, load) => total + load, 1)
  const weight = upstreams.reduce((total, each) => total + each.weight, 0)
  const ofOne = (most * inFlight) / weight
  return upstreams.filter(({ weight: own }, at) => (loads[at] ?? 0) < Math.max(idleMax, Math.ceil(ofOne * own)))
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

/** Those of the request that is looked at: a choice waits for nothing, so there is one at a time. */
const hashes = new Int32Array(beginningsMax)
/** Who has had each, as far as that was looked up. */
const holdersOf = new Int32Array(beginningsMax)

/**
 * Puts a hash of each beginning of the body into `hashes`, the shortest first, and returns how many there are; each goes on
 * from the one before. Texts that differ in a few letters may have the same.
 */
function beginnings(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  let at = 0
  // Four that do not wait for each other: one after the other takes three times as long.
  let [a, b, c, d] = [0, 0, 0, 0]
  for (const { block, until } of steps) {
    const gap = block / samplesEach
    for (; at + block <= bytes.length && at < until; at += block) {
      for (let word = at; word < at + block; word += 4 * gap) {
        a = Math.imul(a ^ view.getInt32(word, true), prime)
        b = Math.imul(b ^ view.getInt32(word + gap, true), prime)
        c = Math.imul(c ^ view.getInt32(word + 2 * gap, true), prime)
        d = Math.imul(d ^ view.getInt32(word + 3 * gap, true), prime)
      }
      hashes[count] = mixed(mixed(mixed(a, b), c), d)
      count += 1
    }
  }
  return count
}

/** Where the beginning ends that is this one in their order, from 1; 0 for none. */
function endOf(count: number): number {
  let [end, left] = [0, count]
  for (const { block, until } of steps) {
    const own = Math.min(left, (until - end) / block)
    end += own * block
    left -= own
  }
  return end
}

function mixed(one: number, other: number): number {
  const product = Math.imul(one ^ (one >>> 15) ^ other, prime)
  return product ^ (product >>> 13)
}

/** One upstream as the table of a model knows it. */
interface Holder {
  /** Its own in the sets of the table. */
  readonly bit: number
  /** Bytes that it has got lately, less the longer ago. */
  work: number
}

/** An upstream that may be chosen. */
interface Candidate {
  readonly upstream: Upstream
  readonly holder: Holder
  /** How many of the beginnings it has had. */
  known: number
  /** Bytes to compute before it begins to answer, for its weight. */
  cost: number
}

/** Which upstreams of one model have had which beginnings. Two that collide by their hash cost one miss of a cache. */
class PrefixTable {
  readonly #beginnings = new RecentBits(entriesMax)
  readonly #holders = new Map<string, Holder>()

  /**
   * The one that begins to answer first: by what it still has to compute of other prompts, and what of this one it has not
   * had. Among those that are alike, the one with the least to do.
   */
  choose(upstreams: readonly Upstream[], prefix: Prefix, { health, leastLoaded }: ChooseDeps): Upstream {
    const candidates = upstreams.map((upstream): Candidate => {
      return { upstream, holder: this.#holderOf(upstream.id), known: 0, cost: 0 }
    })
    const total = prefix.bytes.length
    const count = beginnings(prefix.bytes)
    this.#findKnown(candidates, count)
    setCosts(candidates, total, health)
    let least = Infinity
    for (const { cost } of candidates) least = Math.min(least, cost)
    const alike: Upstream[] = []
    for (const { upstream, cost } of candidates) if (cost < least + alikeBytes) alike.push(upstream)
    const chosen = leastLoaded(alike)
    const found = candidates.find(({ upstream }) => upstream === chosen)
    if (found === undefined) throw new Error('an upstream was chosen that may not be')
    prefix.uncached = total - endOf(found.known)
    this.#keep(found, count)
    noteWork(candidates, found, prefix.uncached + answerBytes)
    return chosen
  }

  #findKnown(candidates: readonly Candidate[], of: number): void {
    let missing = candidates.reduce((bits, { holder }) => bits | holder.bit, 0)
    for (let count = of; count > 0 && missing !== 0; count -= 1) {
      const held = this.#beginnings.get(hashes[count - 1] ?? 0)
      holdersOf[count - 1] = held
      const found = held & missing
      if (found === 0) continue
      missing ^= found
      for (const candidate of candidates) if ((candidate.holder.bit & found) !== 0) candidate.known = count
    }
  }

  /** It has all of them from now on. The longest that it had is in use; shorter ones matter only when that is gone. */
  #keep({ known, holder }: Candidate, count: number): void {
    for (let at = Math.max(0, known - 1); at < count; at += 1)
      this.#beginnings.put(hashes[at] ?? 0, (holdersOf[at] ?? 0) | holder.bit)
  }

  /** When no bit is left, all is forgotten: upstreams that are gone free theirs so. */
  #holderOf(id: string): Holder {
    let holder = this.#holders.get(id)
    if (holder !== undefined) return holder
    if (this.#holders.size >= bitsMax) {
      this.#holders.clear()
      this.#beginnings.clear()
    }
    holder = { bit: 1 << this.#holders.size, work: 0 }
    this.#holders.set(id, holder)
    return holder
  }
}

/** @param total bytes of the request */
function setCosts(candidates: readonly Candidate[], total: number, health: UpstreamHealth): void {
  let [work, weights] = [0, 0]
  for (const { holder, upstream } of candidates) {
    work += holder.work
    weights += upstream.weight
  }
  const workMax = (workShare * work) / weights
  for (const candidate of candidates) {
    const { id, weight } = candidate.upstream
    const end = endOf(candidate.known)
    const rest = total - (end < total * worthwhile ? 0 : end)
    // It is left for another when that is more than what the other has to compute once more, and never while it has time.
    const tooMuch = candidate.holder.work - workMax * weight
    const isLeft = tooMuch > 0 && health.load(id) >= busyFrom
    candidate.cost = (health.pending(id) + rest + (isLeft ? tooMuch : 0)) / weight
  }
}

function noteWork(candidates: readonly Candidate[], chosen: Candidate, bytes: number): void {
  const kept = 1 - 1 / (rememberedEach * candidates.length)
  for (const { holder } of candidates) holder.work *= kept
  chosen.holder.work += bytes
}
