/** An answer in full before its first byte is sent, and the rules by which text becomes choices. */
import type { Directives } from './directives.ts'
import type { SamplingRequest } from './request.ts'
import type { ToolCall } from './tool-call.ts'
import { splitTokens, type Piece } from '#lib/tokens/tokens.ts'

export interface Choice {
  readonly index: number
  /** The text, or the arguments of the tool call. */
  readonly pieces: readonly Piece[]
  readonly finish: 'stop' | 'length' | 'tool_calls'
  readonly tool: { readonly id: string; readonly name: string } | null
}

export interface Reply {
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly promptTokens: number
  readonly choices: readonly Choice[]
  readonly streamed: boolean
  /** Whether a stream ends with a chunk that holds the usage. */
  readonly usageAsked: boolean
  readonly directives: Directives
}

/** What every choice of a request obeys. */
export interface Limits {
  readonly stops: readonly string[]
  /** Tokens of one choice. */
  readonly tokensMax: number
}

/** The limits that a request sets; `tokensMax` stands when it names none. */
export function limitsOf(request: SamplingRequest, tokensMax: number | null | undefined): Limits {
  const stop = request.stop ?? []
  const stops = (typeof stop === 'string' ? [stop] : stop).filter((text) => text !== '')
  return { stops, tokensMax: tokensMax ?? Infinity }
}

/** A choice of plain text: cut before the first stop sequence, then at the limit of tokens. */
export async function textChoice(index: number, text: string, limits: Limits): Promise<Choice> {
  const ends = limits.stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  const pieces = await splitTokens(text.slice(0, Math.min(text.length, ...ends)))
  const kept = fitting(pieces, limits.tokensMax)
  return { index, pieces: kept, finish: kept.length < pieces.length ? 'length' : 'stop', tool: null }
}

/** A choice that calls a tool. */
export async function toolChoice(index: number, call: ToolCall, limits: Limits): Promise<Choice> {
  const pieces = await splitTokens(call.arguments)
  const kept = fitting(pieces, limits.tokensMax)
  const tool = { id: newId('call_'), name: call.name }
  return { index, pieces: kept, finish: kept.length < pieces.length ? 'length' : 'tool_calls', tool }
}

/** The whole text of a choice. */
export function textOfChoice({ pieces }: Choice): string {
  return pieces.map(({ text }) => text).join('')
}

/** Tokens of all choices together. */
export function completionTokens({ choices }: Reply): number {
  return choices.reduce((sum, { pieces }) => sum + tokensOf(pieces), 0)
}

/** A new id with the prefix that clients of the interface expect. */
export function newId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll('-', '')
}

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The pieces from the start that fit into a number of tokens. */
function fitting(pieces: readonly Piece[], tokensMax: number): readonly Piece[] {
  let used = 0
  const end = pieces.findIndex(({ tokens }) => (used += tokens) > tokensMax)
  return end < 0 ? pieces : pieces.slice(0, end)
}
