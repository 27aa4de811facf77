/** Which endpoints the lines of a batch can have, and how each is called. */
import { chatCompletion } from '#gateway/endpoints/chat-completions.ts'
import { completion } from '#gateway/endpoints/completions.ts'
import { embeddings } from '#gateway/endpoints/embeddings.ts'
import { messages } from '#gateway/endpoints/messages.ts'
import type { ModelCall } from '#gateway/endpoints/model-call.ts'
import { moderation } from '#gateway/endpoints/moderations.ts'
import { rerank } from '#gateway/endpoints/rerank.ts'
import { responses } from '#gateway/endpoints/responses.ts'

const calls: readonly ModelCall[] = [chatCompletion, completion, embeddings, responses, messages, rerank, moderation]

const byPath = new Map(calls.map((call) => [`/v1/${call.endpoint}`, call]))

/** The paths as clients write them. */
export const batchEndpoints: readonly string[] = [...byPath.keys()]

/** The path below the API's root, however a client writes it; null for one that has no lines. */
export function endpointPath(url: string): string | null {
  const path = url.startsWith('/ai/') ? url.slice('/ai'.length) : url
  return byPath.has(path) ? path : null
}

/** Whether lines can have this call. */
export function isLineCall(call: ModelCall): boolean {
  return calls.includes(call)
}

/** The call of such a path. */
export function lineCall(path: string): ModelCall {
  const call = byPath.get(path)
  if (call === undefined) throw new Error(`no lines are called at ${path}`)
  return call
}
