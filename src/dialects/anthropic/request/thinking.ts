/**
 * Thinking: how much of it is asked for, what the caller sees of it, and how a thought comes back with
 * the next request.
 *
 * Where an upstream wants its thoughts back (`reasoning_details`), they travel to the caller as the
 * signature of a block and return from there, so that the gateway keeps nothing. All other thoughts in a
 * history are of no use to any upstream and stay here; they are never sent as if they were text.
 * Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import { isObject } from '#lib/json-value.ts'
import {
  optionalCount,
  malformed,
  optionalPlace,
  optionalWord,
  pathOf,
  refuseUnknown,
  text,
  untranslatable,
  type Place,
} from '../fields.ts'

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Budgets from which on an effort holds, in tokens: those that a word is turned into on the way to Claude. */
const effortsByBudget = [
  [16_384, 'high'],
  [4096, 'medium'],
  [0, 'low'],
] as const

const budgetMin = 1024

/**
 * - `shown`: thoughts are blocks with their text.
 * - `sealed`: blocks without text, for what has to come back.
 * - `hidden`: no blocks at all.
 */
export type ThoughtDisplay = 'shown' | 'sealed' | 'hidden'

export interface Thinking {
  /** `reasoning_effort` of the chat body; undefined leaves it to the model. */
  readonly effort: 'none' | (typeof efforts)[number] | undefined
  readonly display: ThoughtDisplay
}

/** A piece of reasoning as its upstream wants it back: an entry of `reasoning_details`, in the vendor's shape. */
export type ReasoningDetail = Readonly<Record<string, unknown>>

/** What `thinking` and `output_config.effort` ask for. An effort that is named is stronger than a budget. */
export function thinkingOf(request: Place, outputConfig: Place | undefined): Thinking {
  const named = outputConfig === undefined ? undefined : optionalWord(outputConfig, 'effort', efforts)
  const thinking = optionalPlace(request, 'thinking')
  if (thinking === undefined) return { effort: named, display: 'shown' }
  refuseUnknown(thinking, ['type', 'budget_tokens', 'display'])
  const display = optionalWord(thinking, 'display', ['summarized', 'omitted']) === 'omitted' ? 'sealed' : 'shown'
  const type = text(thinking, 'type')
  if (type === 'disabled') return { effort: 'none', display: 'hidden' }
  if (type === 'adaptive') return { effort: named, display }
  if (type === 'enabled') return { effort: named ?? effortOfBudget(thinking), display }
  throw untranslatable(pathOf(thinking, 'type'), 'use "enabled", "adaptive" or "disabled".')
}

const sealMark = 'sluice.'

/** The signature of a block for thoughts that their upstream wants back. Packed, not encrypted: it is no secret. */
export function sealThoughts(details: readonly ReasoningDetail[]): string {
  return sealMark + Buffer.from(JSON.stringify(details)).toString('base64url')
}

/** The thoughts behind a block of a history; none for a block whose upstream wants nothing back. */
export function unsealThoughts(block: Place): readonly ReasoningDetail[] {
  refuseUnknown(block, ['type', 'thinking', 'signature'])
  text(block, 'thinking')
  const { signature } = block.fields
  if (typeof signature !== 'string' || !signature.startsWith(sealMark)) return []
  const details = parsed(Buffer.from(signature.slice(sealMark.length), 'base64url').toString())
  if (Array.isArray(details) && details.every(isObject)) return details
  throw malformed(pathOf(block, 'signature'), 'is damaged: send the block as it was received, or leave it out.')
}

/** Adds what a message or delta brings. A stream may send a detail in fragments, told by their `index`. */
export function addDetails(details: ReasoningDetail[], more: unknown): void {
  if (!Array.isArray(more)) return
  for (const detail of more.filter(isObject)) {
    const last = details.at(-1)
    const goesOn = last?.['type'] === detail['type'] && last?.['index'] === detail['index']
    if (last !== undefined && goesOn && typeof detail['index'] === 'number') details.splice(-1, 1, joined(last, detail))
    else details.push(detail)
  }
}

function effortOfBudget(thinking: Place): (typeof efforts)[number] {
  const budget = optionalCount(thinking, 'budget_tokens', budgetMin)
  if (budget === undefined) throw malformed(pathOf(thinking, 'budget_tokens'), 'is required with "enabled".')
  return effortsByBudget.find(([least]) => budget >= least)?.[1] ?? 'low'
}

function joined(last: ReasoningDetail, next: ReasoningDetail): ReasoningDetail {
  const both: Record<string, unknown> = { ...last }
  for (const [name, value] of Object.entries(next)) {
    const before = both[name]
    const grows = (name === 'text' || name === 'summary' || name === 'data') && typeof before === 'string'
    if (grows && typeof value === 'string') both[name] = before + value
    else if (value !== null) both[name] = value
  }
  return both
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
