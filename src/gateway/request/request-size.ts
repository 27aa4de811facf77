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
  /** Texts that the model reads apart from each other: each has the model's context for itself. */
  readonly sequences: number
  /** Answers to the whole request. */
  readonly choices: number
  /** Images that are asked for. */
  readonly images: number
  /** Calls of the model, each of this size. */
  readonly calls: number
}

/** Tokens that a chat template or a provider's own prompt adds. */
const templateTokens = 1000
/** Tokens around each text of several: their beginning, their end, and the name of a task. */
const sequenceTokens = 100
/** The most that a form can ask for: its fields are not read ahead. */
const formImagesMax = 10

const one = { sequences: 1, choices: 1, images: 0, calls: 1 } as const

/** The size of a form, which holds files. */
export const formSize: RequestSize = { ...one, inputTokens: null, outputTokens: null, images: formImagesMax }

/** The size of a session, which has no end of its own. */
export const sessionSize: RequestSize = { ...one, inputTokens: null, outputTokens: null, calls: Infinity }

/** The size of a request with this body. */
export function sizeOf(bytes: number, body: Fields): RequestSize {
  const answers = Math.max(1, wholeNumber(body['n']) ?? 1, wholeNumber(body['best_of']) ?? 1)
  const texts = Math.max(textsOf(body['prompt']), textsOf(body['input']))
  const ranked = isSet(body['query']) && Array.isArray(body['documents']) ? body['documents'].length : 0
  const sequences = Math.max(1, texts, ranked)
  return {
    ...one,
    inputTokens: isText(body) ? bytes + repeatedBytes(body, ranked) + addedTokens(sequences) : null,
    outputTokens: outputLimit(body),
    sequences,
    // Only completions answer several texts; the others generate nothing.
    choices: answers * Math.max(1, textsOf(body['prompt'])),
    images: answers,
  }
}

/** The most tokens of all input and of all output, by the size and the model's context; null when there is no bound. */
export function mostTokens(size: RequestSize, contextLength: number | null) {
  const { inputTokens, outputTokens, sequences, choices } = size
  const within = (tokens: number | null, times: number): number | null => {
    if (contextLength === null) return tokens
    const whole = contextLength * times
    return tokens === null ? whole : Math.min(tokens, whole)
  }
  const output = within(outputTokens, 1)
  return {
    inputTokens: within(inputTokens, sequences),
    outputTokens: output === null ? null : output * choices,
  }
}

/** The size after its body was replaced by one with more text. */
export function withLength(size: RequestSize, bytes: number): RequestSize {
  return size.inputTokens === null ? size : { ...size, inputTokens: bytes + addedTokens(size.sequences) }
}

/** Prompts of one model, each a call; the longest decides. An image has no bound here. */
export function promptsSize(texts: readonly string[], hasImage: boolean, newTokens: number): RequestSize {
  const longest = texts.reduce((most, text) => Math.max(most, Buffer.byteLength(text)), 0)
  const inputTokens = hasImage ? null : longest + templateTokens
  return { ...one, inputTokens, outputTokens: newTokens, calls: texts.length }
}

/** Documents to rank for several queries, each a call; the largest decides. */
export function rankingsSize(
  rankings: readonly { readonly query: string; readonly documents: readonly string[] }[],
): RequestSize {
  const sizes = rankings.map(({ query, documents }) => {
    const bytes = documents.reduce((sum, each) => sum + Buffer.byteLength(each), Buffer.byteLength(query))
    return sizeOf(bytes, { query, documents })
  })
  const largest = (of: 'inputTokens' | 'sequences'): number =>
    sizes.reduce((most, size) => Math.max(most, size[of] ?? 0), 0)
  return {
    ...one,
    inputTokens: largest('inputTokens'),
    outputTokens: 0,
    sequences: Math.max(1, largest('sequences')),
    calls: rankings.length,
  }
}

function addedTokens(sequences: number): number {
  return templateTokens + (sequences - 1) * sequenceTokens
}

/** Texts of a prompt or an input, each a text or its tokens. Items of a conversation are one text. */
function textsOf(value: unknown): number {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string' || Array.isArray(each)).length : 0
}

/** A reranker reads the query again with each document. */
function repeatedBytes({ query }: Fields, ranked: number): number {
  return typeof query === 'string' && ranked > 1 ? (ranked - 1) * Buffer.byteLength(query) : 0
}

const outputFields = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'] as const

/** The largest of the limits: providers differ in which of them counts. None when one of them has no meaning here. */
function outputLimit(body: Fields): number | null {
  let largest: number | null = null
  for (const name of outputFields) {
    const limit = body[name]
    if (!isSet(limit)) continue
    const count = wholeNumber(limit)
    if (count === null) return null
    largest = Math.max(largest ?? 0, count)
  }
  return largest
}

/** A count, also in a text: servers differ in what they take as a number. Null for everything else. */
function wholeNumber(value: unknown): number | null {
  if (typeof value !== 'number' && !(typeof value === 'string' && value.trim() !== '')) return null
  const number = Math.ceil(Number(value))
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : null
}

/** Fields by which a provider adds to the input what it finds itself, beside tools. */
const searching = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'data_sources',
  'mcp_servers',
  'plugins',
  'container',
] as const

function isSearching(body: Fields): boolean {
  for (const name of searching) if (isSet(body[name]) && body[name] !== false) return true
  return false
}

/** Whether all content is text in the body itself. What is not known to be text is not. */
function isText(body: Fields): boolean {
  if (isSet(body['previous_response_id']) || isSet(body['conversation']) || isObject(body['prompt'])) return false
  if (isSearching(body)) return false
  const { tools, messages, input, documents, query } = body
  if (isSet(query) && typeof query !== 'string') return false
  if (isSet(documents) && !(Array.isArray(documents) && documents.every(isTextDocument))) return false
  if (Array.isArray(tools) && !tools.every(isFunctionTool)) return false
  return (
    (!Array.isArray(messages) || messages.every(isTextMessage)) && (!Array.isArray(input) || input.every(isTextItem))
  )
}

/** A text to rank or to answer from, or an object of texts. */
function isTextDocument(document: unknown): boolean {
  if (typeof document === 'string') return true
  return isObject(document) && !['image', 'image_url', 'content'].some((name) => isSet(document[name]))
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
