/**
 * Thinking: how much of it is requested, what the caller sees of it, and how it comes back with the next
 * request.
 *
 * The `reasoning_details` of an upstream travel to the caller as the signature of a thinking block, and
 * come back in it. Other thinking blocks of a history help no upstream: they are left out, and never
 * sent as text.
 * Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import { decodeReasoning, encodeReasoning, type ReasoningDetail } from '../../chat/reasoning-details.ts'
import {
  invalidField,
  pathOf,
  readEnum,
  readInteger,
  readObject,
  requireString,
  type RequestObject,
} from '../../request-fields.ts'
import { refuseUnknownFields, unsupportedField } from './unsupported-field.ts'

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** The least budget of each effort, in tokens: the budgets that an effort becomes on the way to Claude. */
const effortsByBudget = [
  [16_384, 'high'],
  [4096, 'medium'],
  [0, 'low'],
] as const

const budgetMin = 1024

/**
 * - `summarized`: thinking blocks have their text.
 * - `omitted`: blocks without text, for signatures that must come back.
 * - `disabled`: no thinking blocks.
 */
export type ThinkingDisplay = 'summarized' | 'omitted' | 'disabled'

/** The thinking settings of a request. */
export interface Thinking {
  /** `reasoning_effort` of the chat body; undefined leaves it to the model. */
  readonly effort: 'none' | (typeof efforts)[number] | undefined
  readonly display: ThinkingDisplay
}

/** What `thinking` and `output_config.effort` request. A named effort overrides a budget. */
export function readThinking(request: RequestObject, outputConfig: RequestObject | undefined): Thinking {
  const named = outputConfig === undefined ? undefined : readEnum(outputConfig, 'effort', efforts)
  const thinking = readObject(request, 'thinking')
  if (thinking === undefined) return { effort: named, display: 'summarized' }
  refuseUnknownFields(thinking, ['type', 'budget_tokens', 'display'])
  const display = readEnum(thinking, 'display', ['summarized', 'omitted']) ?? 'summarized'
  const type = requireString(thinking, 'type')
  if (type === 'disabled') return { effort: 'none', display: 'disabled' }
  if (type === 'adaptive') return { effort: named, display }
  if (type === 'enabled') return { effort: named ?? effortOfBudget(thinking), display }
  throw unsupportedField(pathOf(thinking, 'type'), 'use "enabled", "adaptive" or "disabled".')
}

const signaturePrefix = 'sluice.'

/** The signature of a thinking block whose upstream wants these details back. */
export function thinkingSignature(details: readonly ReasoningDetail[]): string {
  return encodeReasoning(signaturePrefix, details)
}

/** The details in the signature of a thinking block; none for a signature of another server. */
export function signedDetails(block: RequestObject): readonly ReasoningDetail[] {
  refuseUnknownFields(block, ['type', 'thinking', 'signature'])
  requireString(block, 'thinking')
  const { signature } = block.fields
  const details = typeof signature === 'string' ? decodeReasoning(signaturePrefix, signature) : 'foreign'
  if (details === 'foreign') return []
  if (details !== 'damaged') return details
  throw invalidField(pathOf(block, 'signature'), 'is damaged: send the block as it was received, or leave it out.')
}

function effortOfBudget(thinking: RequestObject): (typeof efforts)[number] {
  const budget = readInteger(thinking, 'budget_tokens', budgetMin)
  if (budget === undefined) throw invalidField(pathOf(thinking, 'budget_tokens'), 'is required with "enabled".')
  return effortsByBudget.find(([least]) => budget >= least)?.[1] ?? 'low'
}
