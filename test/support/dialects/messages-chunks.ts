/** Chunks of streamed chat answers, and the message that a stream of them makes. */
import type { StreamTranslator } from '#dialects/dialect.ts'
import { anthropicDialect } from '#dialects/anthropic/anthropic-dialect.ts'
import { readMessage, type ReadMessage } from './messages-events.ts'

type Json = Readonly<Record<string, unknown>>

export const request = { model: 'asked', max_tokens: 10, stream: true, messages: [{ role: 'user', content: 'Hi' }] }

export function translator(fields: Json = {}): StreamTranslator {
  let ids = 0
  return anthropicDialect.translate({ ...request, ...fields }, { now: 0, newId: () => `id-${++ids}` }).stream()
}

export function chunk(delta: Json, choice: Json = {}, more: Json = {}): Json {
  return { id: 'chatcmpl-1', model: 'given', choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more }
}

export const finish = (reason: string, more: Json = {}) => chunk({}, { finish_reason: reason, ...more })
export const opening = chunk({ role: 'assistant', content: '' })
export const calling = (index: number, id: string, name: string, args = '') =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
export const args = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })

export function streamed(chunks: readonly unknown[], fields: Json = {}): ReadMessage {
  const stream = translator(fields)
  return readMessage(chunks.map((each) => stream.push(each)).join('') + stream.end())
}
