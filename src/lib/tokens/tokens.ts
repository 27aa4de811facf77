/**
 * Counts and cuts texts in real tokens (o200k_base), on a thread of its own: loading the vocabulary takes a tenth of
 * a second, and a long text as long as it is. The thread starts with the first text, and gives its memory
 * back after a minute without any.
 *
 * The tokens are the encoder's own. Only a run of more than `windowChars` without a space between words is cut, which
 * can make a token more of each cut.
 */
import { Worker } from 'node:worker_threads'
import { ownScript } from '../own-scripts.ts'
import type { Piece, TokenAnswer, TokenJob, TokenList, TokenResult, TokenWork } from './token-job.ts'

export type { Piece } from './token-job.ts'

/** Bound on the texts of one lane that wait. One alone may be longer. */
const laneCharactersMax = 32 * 1024 * 1024
const idleMs = 60_000

interface Waiting {
  readonly lane: string
  readonly characters: number
  readonly answered: PromiseWithResolvers<TokenResult>
}

/** Number of tokens of each text; marks such as `<|endoftext|>` count as the plain text that they are. */
export async function countTokens(texts: readonly string[]): Promise<readonly number[]> {
  return (await run({ kind: 'count', texts })) as readonly number[]
}

/**
 * The same for one of several callers: lanes take turns, and one in which too much text waits already gets null. Work
 * without a lane has one of its own.
 */
export function countTokensFor(lane: string, texts: readonly string[]): Promise<readonly number[]> | null {
  return run({ kind: 'count', texts }, lane) as Promise<readonly number[]> | null
}

/** Where the last `tokensMax` tokens of each text begin. Null as for `countTokensFor`. */
export function tailStartsFor(
  lane: string,
  texts: readonly string[],
  tokensMax: number,
): Promise<readonly number[]> | null {
  return run({ kind: 'tail', texts, tokensMax }, lane) as Promise<readonly number[]> | null
}

/** The tokens of a text, joined equal to it, as items of a JSON list. Null as for `countTokensFor`. */
export async function listTokensFor(lane: string, text: string): Promise<TokenList | null> {
  const lists = (await run({ kind: 'list', texts: [text] }, lane)) as readonly TokenList[] | null
  return lists?.[0] ?? null
}

/** The text in pieces of one token each, joined equal to it (lone surrogates become U+FFFD). */
export async function splitTokens(text: string): Promise<readonly Piece[]> {
  const [pieces = []] = (await run({ kind: 'split', texts: [text] })) as readonly (readonly Piece[])[]
  return pieces
}

/** The text of token ids, or undefined when one is not in the vocabulary. */
export async function textOfTokens(ids: readonly number[]): Promise<string | undefined> {
  return (await run({ kind: 'decode', ids })) as string | undefined
}

const waiting = new Map<number, Waiting>()
let jobs = 0
let worker: Worker | null = null
let ending: ReturnType<typeof setTimeout> | undefined

function run(work: TokenWork, lane?: string): Promise<TokenResult> | null {
  const characters = work.kind === 'decode' ? 0 : work.texts.reduce((sum, { length }) => sum + length, 0)
  if (lane !== undefined && !hasRoom(lane, characters)) return null
  jobs += 1
  const id = jobs
  const job: TokenJob = { id, lane: lane ?? `job ${id}`, work }
  const answered = Promise.withResolvers<TokenResult>()
  waiting.set(id, { lane: job.lane, characters, answered })
  clearTimeout(ending)
  worker ??= started()
  worker.ref()
  worker.postMessage(job)
  return answered.promise
}

function hasRoom(lane: string, characters: number): boolean {
  let before = 0
  for (const each of waiting.values()) if (each.lane === lane) before += each.characters
  return before === 0 || before + characters <= laneCharactersMax
}

function started(): Worker {
  const thread = new Worker(ownScript('lib/tokens/token-thread.ts'))
  thread.on('message', settle)
  thread.on('error', (cause) => lose(thread, new Error('the thread that counts tokens broke down', { cause })))
  thread.on('exit', (code) => lose(thread, new Error(`the thread that counts tokens ended with code ${code}`)))
  return thread
}

function settle(said: TokenAnswer): void {
  const job = waiting.get(said.id)
  waiting.delete(said.id)
  if (waiting.size === 0) rest()
  if ('result' in said) job?.answered.resolve(said.result)
  else job?.answered.reject(new Error(said.failure))
}

/** The thread keeps the process alive only while it works. */
function rest(): void {
  worker?.unref()
  ending = setTimeout(() => {
    const thread = worker
    worker = null
    void thread?.terminate()
  }, idleMs)
  ending.unref()
}

/** What waits fails; the next text starts another thread. */
function lose(thread: Worker, error: Error): void {
  if (worker !== thread) return
  worker = null
  const lost = [...waiting.values()]
  waiting.clear()
  for (const { answered } of lost) answered.reject(error)
}
