/** The body of a chat completion: a conversation, and a model to answer it. */
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { findFields } from '#lib/json-span.ts'
import { readDocumentsField } from './documents-field.ts'
import { isObject } from '#lib/json-value.ts'
import { invalidBody, type Fields } from './fields.ts'
import { readModelRequest, type EndpointReading, type ModelRequest } from './model-request.ts'

const documentsField = new Set(['documents'])

/** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
export function readChatRequest(context: RequestContext, limits: BodyLimits): Promise<ModelRequest> {
  return readModelRequest(context, limits, chatReading)
}

function withDocuments(request: ModelRequest, fields: Fields): ModelRequest {
  const documents = readDocumentsField(fields)
  if (documents === null) return request
  // The field is cut out of the bytes, so there must be only one.
  if (findFields(request.bytes, documentsField).length > 1)
    throw invalidBody('documents', '"documents" is written more than once.')
  return { ...request, documents }
}

const chatReading: EndpointReading = { check: checkMessages, finish: withDocuments }

function checkMessages({ messages }: Fields): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidBody('messages', '"messages" must be an array with at least one message.')
  }
  for (let index = 0; index < messages.length; index += 1) {
    const message: unknown = messages[index]
    if (!isObject(message))
      throw invalidBody(`messages.${index}`, `"messages.${index}" must be an object with "role" and "content".`)
    if (typeof message['role'] !== 'string')
      throw invalidBody(`messages.${index}.role`, `"messages.${index}.role" must be a string.`)
  }
}
