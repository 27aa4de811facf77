/** Logged content as a line of a fine-tuning file in OpenAI's chat format: `{"messages": […], "tools": […]}`. */
import { ApiError } from '#errors/api-error.ts'
import { promptChatBody } from '#dialects/anthropic/request/messages-request.ts'
import { readResponsesRequest } from '#dialects/responses/request/responses-request.ts'
import { isObject } from '#lib/json-value.ts'
import type { FullContentLog } from '#store/content/content-logs.ts'

type Fields = Readonly<Record<string, unknown>>

interface Dialect {
  /** The request as a chat completion. Throws an ApiError for what has no counterpart there. */
  readonly chatBody: (request: Fields) => Fields
  /** The assistant's message; null when the answer has none. */
  readonly reply: (answer: Fields) => Fields | null
}

const dialects: Readonly<Record<string, Dialect>> = {
  'chat/completions': { chatBody: (request) => request, reply: (answer) => firstChoice(answer)?.['message'] as Fields },
  completions: { chatBody: promptBody, reply: (answer) => assistant([firstChoice(answer)?.['text']], []) },
  messages: { chatBody: promptChatBody, reply: ({ content }) => messageReply(listOf(content)) },
  responses: { chatBody: (request) => readResponsesRequest(request).chatBody, reply: responseReply },
}

/** Fields of a message that only answers have. */
const answerFields: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'annotations', 'audio'])

/** The line without its end; null for content that is cut, failed, or not a conversation that the format has. */
export function fineTuningLine({ endpoint, status, ...row }: FullContentLog): string | null {
  const dialect = dialects[endpoint]
  if (dialect === undefined || status >= 300 || row.requestCut || row.answerCut || row.answer === null) return null
  try {
    const request: unknown = JSON.parse(row.request)
    const answer: unknown = JSON.parse(row.answer)
    if (!isObject(request) || !isObject(answer)) return null
    const { messages, tools } = dialect.chatBody(request)
    const reply = dialect.reply(answer)
    if (!Array.isArray(messages) || !isObject(reply)) return null
    const all = [...listOf(messages), reply].map(trainable)
    return JSON.stringify({ messages: all, ...(Array.isArray(tools) && tools.length > 0 && { tools }) })
  } catch (thrown) {
    if (thrown instanceof ApiError || thrown instanceof SyntaxError) return null
    throw thrown
  }
}

function promptBody({ prompt }: Fields): Fields {
  return typeof prompt === 'string' ? { messages: [{ role: 'user', content: prompt }] } : {}
}

function firstChoice({ choices }: Fields): Fields | undefined {
  return listOf(choices)[0]
}

function messageReply(blocks: readonly Fields[]): Fields | null {
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text)
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => callOf({ id, name, args: JSON.stringify(input ?? {}) }))
  return assistant(texts, calls)
}

function responseReply({ output }: Fields): Fields | null {
  const items = listOf(output)
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => listOf(content))
  const calls = items
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id, name, arguments: args }) => callOf({ id, name, args }))
  return assistant(
    parts.filter(({ type }) => type === 'output_text').map(({ text }) => text),
    calls,
  )
}

function callOf({ id, name, args }: { readonly id: unknown; readonly name: unknown; readonly args: unknown }) {
  return { id, type: 'function', function: { name, arguments: args } }
}

function assistant(texts: readonly unknown[], calls: readonly object[]): Fields | null {
  const content = texts.filter((text) => typeof text === 'string').join('')
  if (content === '' && calls.length === 0) return null
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
}

/** Without what only an answer has; pictures and sounds were replaced by notes, which are texts. */
function trainable({ content, ...message }: Fields): Fields {
  const kept = Object.fromEntries(
    Object.entries(message).filter(([name, value]) => value !== null && !answerFields.has(name)),
  )
  return { ...kept, ...(content !== undefined && { content: Array.isArray(content) ? content.map(noted) : content }) }
}

function noted(part: unknown): unknown {
  if (!isObject(part) || part['type'] === 'text' || part['type'] === 'refusal') return part
  const note = /\[[\w.+/ -]+, \d+ bytes\]/.exec(JSON.stringify(part))?.[0]
  return { type: 'text', text: note ?? `[${String(part['type'])}]` }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
