/**
 * Simulated model servers with caches of prompts, on virtual time, and the chooser of the gateway in front of them. A server
 * computes what of a prompt is not in its cache, one prompt after the other, and then writes the answer beside others.
 * Token counts stand for work: no clock of the machine is read.
 */
import { Catalog, type Model } from '#catalog/catalog.ts'
import type { Strategy } from '#catalog/records.ts'
import { PrefixAffinity, type Prefix } from '#gateway/upstreams/affinity.ts'
import { selectUpstream } from '#gateway/upstreams/select-upstream.ts'
import { UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import { ManualClock } from '../manual-clock.ts'
import { aModel, aProvider } from '../store/store-records.ts'

/** Bytes of a token, and tokens of a block of a cache. */
const tokenBytes = 4
const blockTokens = 64
const prefillMsPerToken = 0.1
const decodeMsPerToken = 8

/** A prompt that is sent at this moment, or this long after the answer to the one before it. */
export interface Turn {
  readonly prompt: Uint8Array
  readonly answerTokens: number
  readonly pauseMs: number
}

/** Turns that follow each other. */
export interface Talk {
  readonly startsAt: number
  readonly turns: readonly Turn[]
}

export interface Outcome {
  /** Share of the tokens of all prompts that were in the cache of their server. */
  readonly hits: number
  readonly firstTokenP50: number
  readonly firstTokenP99: number
  /** The same as if no prompt had waited for others. */
  readonly computedP50: number
  readonly computedP99: number
  /** The most tokens that a server has worked on, over the mean. */
  readonly busiest: number
}

/** A composite of so many components. */
export function compositeOf(count: number, strategy: Strategy): Model {
  const provider = aProvider()
  const parts = Array.from({ length: count }, (_, at) => aModel(provider.id, { name: `part-${at}` }))
  const components = parts.map(({ id: modelId }) => ({ modelId, weight: 1, priority: 0, enabled: true }))
  const record = aModel(provider.id, {
    name: 'composite',
    target: { kind: 'composite', strategy, failover: {}, components },
  })
  const catalog = new Catalog({ providers: [provider], models: [...parts, record], inflightOverrides: [] })
  return catalog.models.find((model) => model.record.name === 'composite')!
}

/** Blocks that were used, the longest ago first. */
class PromptCache {
  readonly #blocks = new Map<number, true>()
  readonly #blocksMax: number

  constructor(tokens: number) {
    this.#blocksMax = tokens / blockTokens
  }

  /** Tokens of the prompt that are here. */
  find(prompt: Uint8Array): number {
    const size = blockTokens * tokenBytes
    let [hash, hits] = [0, 0]
    for (let at = 0; at + size <= prompt.length; at += size) {
      hash = Bun.hash.xxHash32(prompt.subarray(at, at + size), hash)
      if (!this.#blocks.has(hash)) break
      hits += blockTokens
    }
    return hits
  }

  /** Tokens of the prompt that are here; all of it is from now on. */
  use(prompt: Uint8Array): number {
    const size = blockTokens * tokenBytes
    let [hash, hits, isKnown] = [0, 0, true]
    for (let at = 0; at + size <= prompt.length; at += size) {
      hash = Bun.hash.xxHash32(prompt.subarray(at, at + size), hash)
      isKnown &&= this.#blocks.delete(hash)
      if (isKnown) hits += blockTokens
      else this.#blocks.delete(hash)
      this.#blocks.set(hash, true)
    }
    for (const [oldest] of this.#blocks) {
      if (this.#blocks.size <= this.#blocksMax) break
      this.#blocks.delete(oldest)
    }
    return hits
  }
}

interface Due {
  readonly at: number
  readonly run: () => void
}

/** One server, with all that decides how soon it answers. */
interface Machine {
  readonly cache: PromptCache
  /** When it has computed all prompts that it has. */
  freeAt: number
  work: number
}

/** What nobody can know: the server that begins to answer first, by what is in all caches and what all are working on. */
function soonest(machines: readonly Machine[], prompt: Uint8Array, now: number): number {
  const tokens = prompt.length / tokenBytes
  const readyAt = machines.map(
    ({ cache, freeAt }) => Math.max(freeAt, now) + (tokens - cache.find(prompt)) * prefillMsPerToken,
  )
  return readyAt.indexOf(Math.min(...readyAt))
}

/** What happens when all talks go to servers by this strategy. @param cacheTokens of each server */
export function simulate(
  talks: readonly Talk[],
  {
    servers,
    strategy,
    cacheTokens,
  }: { readonly servers: number; readonly strategy: Strategy | 'oracle'; readonly cacheTokens: number },
): Outcome {
  const model = compositeOf(servers, strategy === 'oracle' ? 'weighted' : strategy)
  const clock = new ManualClock()
  const health = new UpstreamHealth(() => ({ failuresToEject: 9, ejectionMs: 1, ejectionMaxMs: 1 }), clock)
  const random = randomOf(7)
  const deps = { health, affinity: new PrefixAffinity(), random }
  const machines: readonly Machine[] = model.upstreams.map(() => ({
    cache: new PromptCache(cacheTokens),
    freeAt: 0,
    work: 0,
  }))
  const waits: number[] = []
  const computed: number[] = []
  let [asked, found] = [0, 0]
  const queue: Due[] = []
  const later = (at: number, run: () => void): void => {
    queue.splice(queue.findLastIndex((due) => due.at <= at) + 1, 0, { at, run })
  }
  const send = (talk: Talk, turn: number, now: number): void => {
    const { prompt, answerTokens } = talk.turns[turn]!
    const prefix: Prefix = { bytes: prompt, key: null }
    const upstream =
      strategy === 'oracle'
        ? model.upstreams[soonest(machines, prompt, now)]!
        : selectUpstream(model, new Set(), deps, prefix)!
    const machine = machines[model.upstreams.indexOf(upstream)]!
    const attempt = health.begin(upstream.id, null, prefix.uncached)
    const tokens = prompt.length / tokenBytes
    const hits = machine.cache.use(prompt)
    asked += tokens
    found += hits
    machine.freeAt = Math.max(machine.freeAt, now) + (tokens - hits) * prefillMsPerToken
    machine.work += tokens - hits + answerTokens
    waits.push(machine.freeAt - now)
    computed.push((tokens - hits) * prefillMsPerToken)
    const endsAt = machine.freeAt + answerTokens * decodeMsPerToken
    later(machine.freeAt, () => attempt.succeeded(1))
    later(endsAt, () => attempt[Symbol.dispose]())
    const next = talk.turns[turn + 1]
    if (next !== undefined) later(endsAt + next.pauseMs, () => send(talk, turn + 1, endsAt + next.pauseMs))
  }
  for (const talk of talks) later(talk.startsAt, () => send(talk, 0, talk.startsAt))
  for (let due = queue.shift(); due !== undefined; due = queue.shift()) due.run()
  for (const each of [waits, computed]) each.sort((a, b) => a - b)
  const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  const works = machines.map(({ work }) => work)
  const mean = works.reduce((sum, work) => sum + work, 0) / works.length
  return {
    hits: found / asked,
    firstTokenP50: at(waits, 0.5),
    firstTokenP99: at(waits, 0.99),
    computedP50: at(computed, 0.5),
    computedP99: at(computed, 0.99),
    busiest: Math.max(...works) / mean,
  }
}

/** Numbers from 0 to 1 that are the same at each run (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A text of so many tokens that no other name has. */
function text(name: string, tokens: number): Buffer {
  const line = `${name} says ${name} again. `
  return Buffer.alloc(tokens * tokenBytes, line)
}

type Kind = 'chat' | 'documents' | 'agent'

/** Traces of three kinds of use. `scale` is the number of talks. */
export function tracesOf(scale: number): Readonly<Record<Kind, readonly Talk[]>> {
  return { chat: chats(scale), documents: documentQuestions(scale), agent: agents(scale) }
}

/** People who talk to one of five assistants, with time to read and think. */
function chats(count: number): readonly Talk[] {
  const random = randomOf(1)
  return Array.from({ length: count }, (_, talk) => {
    let prompt = text(`assistant ${talk % 5}`, 1000)
    const turns = Array.from({ length: 3 + Math.floor(random() * 8) }, (_each, turn) => {
      prompt = Buffer.concat([prompt, text(`talk ${talk} turn ${turn}`, 100 + Math.floor(random() * 300))])
      return { prompt, answerTokens: 100 + Math.floor(random() * 200), pauseMs: 5000 + random() * 20_000 }
    })
    return { startsAt: random() * count * 400, turns }
  })
}

/** Questions about 200 documents, of which few are asked about often. */
function documentQuestions(count: number): readonly Talk[] {
  const random = randomOf(2)
  const assistant = text('reader', 500)
  return Array.from({ length: count * 4 }, (_, talk) => {
    const document = Math.floor(200 ** random()) - 1
    const source = text(`document ${document}`, 2000 + ((document * 37) % 2000))
    const prompt = Buffer.concat([assistant, source, text(`question ${talk}`, 64)])
    return { startsAt: random() * count * 1200, turns: [{ prompt, answerTokens: 120, pauseMs: 0 }] }
  })
}

/** Programs that go on at once, behind a long description of their tools. */
function agents(count: number): readonly Talk[] {
  const random = randomOf(3)
  const tools = text('tools', 6000)
  return Array.from({ length: Math.ceil(count / 2) }, (_, talk) => {
    let prompt = Buffer.concat([tools, text(`task ${talk}`, 300)])
    const turns = Array.from({ length: 8 + Math.floor(random() * 12) }, (_each, turn) => {
      prompt = Buffer.concat([prompt, text(`task ${talk} step ${turn}`, 300 + Math.floor(random() * 1200))])
      return { prompt, answerTokens: 60 + Math.floor(random() * 120), pauseMs: 200 + random() * 800 }
    })
    return { startsAt: random() * count * 600, turns }
  })
}
