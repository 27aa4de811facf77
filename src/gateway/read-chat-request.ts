/** The body of a chat completion: a conversation, and a model to answer it. */
import type { BodyLimits } from '#http/body.ts'
import type { Exchange } from '#http/exchange.ts'
import { invalidBody, isObject, type Fields } from './fields.ts'
import { readModelRequest, type ModelRequest } from './model-request.ts'

/** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
export function readChatRequest(exchange: Exchange, limits: BodyLimits): Promise<ModelRequest> {
  return readModelRequest(exchange, limits, checkMessages)
}

function checkMessages({ messages }: Fields): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidBody('messages', '"messages" must be an array with at least one message.')
  }
  for (const [index, message] of messages.entries()) {
    if (!isObject(message))
      throw invalidBody(`messages.${index}`, `"messages.${index}" must be an object with "role" and "content".`)
    if (typeof message['role'] !== 'string')
      throw invalidBody(`messages.${index}.role`, `"messages.${index}.role" must be a string.`)
  }
}
