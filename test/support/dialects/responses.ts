/** What the tests of the Responses dialect share: requests with counted ids, and a reader of event streams. */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import type { JsonObject, StreamTranslator, TranslatedRequest } from '#dialects/dialect.ts'
import { responsesDialect } from '#dialects/responses/responses-dialect.ts'

/** An event with its data; `event:` and `data.type` have been found equal. */
export type TestEvent = JsonObject & { readonly type: string; readonly sequence_number: number }

/** Translates a request; its ids count from 1. */
export function translated(fields: JsonObject): TranslatedRequest {
  let ids = 0
  const context = {
    now: 1_700_000_000_500,
    newId: () => {
      ids += 1
      return String(ids)
    },
  }
  return responsesDialect.translate({ model: 'small', input: 'Hello', ...fields }, context)
}

/** The error that translating throws, which must be an ApiError. */
export function refusal(fields: JsonObject): ApiError {
  try {
    translated(fields)
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
    throw thrown
  }
  throw new Error('the request was not refused')
}

/** A chunk of a streamed chat completion. */
export function chunk(delta: JsonObject, finishReason: string | null = null): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'small-2',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
}

/** A piece of a tool call as it stands in a delta. */
export function callDelta(index: number, called: JsonObject, id?: string): JsonObject {
  return { tool_calls: [{ index, ...(id === undefined ? {} : { id, type: 'function' }), function: called }] }
}

/** A whole chat completion. */
export function answer(message: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'small-2',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...more }],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  }
}

/** All events that the chunks lead to, the end included. */
export function eventsOf(stream: StreamTranslator, chunks: readonly unknown[]): TestEvent[] {
  return readEvents([...chunks.map((one) => stream.push(one)), stream.end()].join(''))
}

/** The events of a stream's text; throws for what is not two lines and an empty one. */
export function readEvents(text: string): TestEvent[] {
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') throw new Error('the text ends inside an event')
  return blocks.map((block) => {
    const match = /^event: (.+)\ndata: (.+)$/.exec(block)
    const data: unknown = JSON.parse(match?.[2] ?? 'null')
    if (!isObject(data) || data['type'] !== match?.[1]) throw new Error(`not an event: ${block}`)
    return data as TestEvent
  })
}
