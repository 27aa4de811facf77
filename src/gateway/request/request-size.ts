/**
 * The most that a request can use, from its body alone: what a hard budget reserves for it. A token is at least one
 * byte of text, so a text has no more tokens than bytes; what is only referred to has no bound here.
 */
import { isObject } from '#lib/json-value.ts'
import type { Fields } from './fields.ts'

export interface RequestSize {
  /** Tokens of all input; null when the body refers to content that it does not hold. */
  readonly inputTokens: number | null
  /** Tokens of one answer, as the client limits them; null when it does not. */
  readonly outputTokens: number | null
  /** Answers to one request. */
  readonly choices: number
  /** Images that are asked for. */
  readonly images: number
  /** Calls of the model, each of this size. */
  readonly calls: number
}

/** Tokens that a chat template or a provider's own prompt adds. */
const templateTokens = 1000
/** The most that a form can ask for: its fields are not read ahead. */
const formImagesMax = 10

/** The size of a form, which holds files. */
export const formSize: RequestSize = {
  inputTokens: null,
  outputTokens: null,
  choices: 1,
  images: formImagesMax,
  calls: 1,
}

/** The size of a session, which has no end of its own. */
export const sessionSize: RequestSize = {
  inputTokens: null,
  outputTokens: null,
  choices: 1,
  images: 0,
  calls: Infinity,
}

/** The size of a request with this body. */
export function sizeOf(bytes: number, body: Fields): RequestSize {
  const limit = Math.max(
    countOr(-1, body['max_completion_tokens']),
    countOr(-1, body['max_output_tokens']),
    countOr(-1, body['max_tokens']),
  )
  const choices = Math.max(1, countOr(1, body['n']), countOr(1, body['best_of']))
  return {
    inputTokens: isText(body) ? bytes + templateTokens : null,
    outputTokens: limit < 0 ? null : limit,
    choices,
    images: choices,
    calls: 1,
  }
}

function countOr(otherwise: number, value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}

/** The size after its body was replaced by one with more text. */
export function withLength(size: RequestSize, bytes: number): RequestSize {
  return size.inputTokens === null ? size : { ...size, inputTokens: bytes + templateTokens }
}

/** Prompts of one model, each a call; the longest decides. An image has no bound here. */
export function promptsSize(texts: readonly string[], hasImage: boolean, newTokens: number): RequestSize {
  const longest = texts.reduce((most, text) => Math.max(most, Buffer.byteLength(text)), 0)
  const inputTokens = hasImage ? null : longest + templateTokens
  return { inputTokens, outputTokens: newTokens, choices: 1, images: 0, calls: texts.length }
}

/** Whether all content is text in the body itself. What is not known to be text is not. */
function isText(body: Fields): boolean {
  if (isSet(body['previous_response_id']) || isSet(body['conversation']) || isObject(body['prompt'])) return false
  const { tools, messages, input, documents } = body
  if (isSet(documents) && !Array.isArray(documents)) return false
  if (Array.isArray(tools) && !tools.every(isFunctionTool)) return false
  return (
    (!Array.isArray(messages) || messages.every(isTextMessage)) && (!Array.isArray(input) || input.every(isTextItem))
  )
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Other tools run at the provider, which adds what they find to the input. Those of Anthropic have no type. */
function isFunctionTool(tool: unknown): boolean {
  return isObject(tool) && (tool['type'] === undefined || tool['type'] === 'function' || tool['type'] === 'custom')
}

function isTextMessage(message: unknown): boolean {
  return isObject(message) && isTextContent(message['content']) && !isSet(message['audio'])
}

/** An item of the Responses API's input, or a text or its tokens for embeddings. */
function isTextItem(item: unknown): boolean {
  if (typeof item === 'string' || typeof item === 'number') return true
  if (Array.isArray(item)) return item.every((token) => typeof token === 'number')
  if (!isObject(item)) return false
  const type = item['type'] ?? 'message'
  if (type === 'message') return isTextMessage(item)
  return type === 'function_call' || (type === 'function_call_output' && typeof item['output'] === 'string')
}

const textParts = new Set(['text', 'input_text', 'output_text', 'refusal', 'thinking', 'redacted_thinking', 'tool_use'])

function isTextContent(content: unknown): boolean {
  if (!isSet(content) || typeof content === 'string') return true
  return Array.isArray(content) && content.every(isTextPart)
}

function isTextPart(part: unknown): boolean {
  if (typeof part === 'string') return true
  if (!isObject(part)) return false
  if (part['type'] === 'tool_result') return isTextContent(part['content'])
  return typeof part['type'] === 'string' && textParts.has(part['type'])
}
