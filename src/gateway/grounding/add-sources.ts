/**
 * A chat over documents, between its admission and its first upstream: what was found becomes part
 * of the conversation, once for all tries, and of the answer. Chats without the field `documents`
 * never come here.
 */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { mayUseArea } from '#identity/authenticate.ts'
import type { Caller } from '#identity/records.ts'
import type { RetrievedChunk } from '../request/documents-field.ts'
import { relayCiting } from './relay-with-citations.ts'
import { bodyWithSources, queryOf } from './sources-prompt.ts'
import { invalidBody, isObject } from '../request/fields.ts'
import type { Gateway } from '../gateway.ts'
import { withBytes, type ModelRequest } from '../request/model-request.ts'
import type { RelayAnswer } from '../relay/relay.ts'

type Grounding = Pick<Gateway, 'retrieve' | 'shutdown'>

/** Answers 403 for a key that is not for documents, and 400 where the server has none to look into. */
export function checkDocuments({ retrieve }: Grounding, caller: Caller): void {
  if (!mayUseArea(caller, 'documents')) {
    throw new ApiError('scope_denied', {
      param: 'documents',
      message:
        'This API key may not be used for "documents". Use a key whose scopes include it, or leave the field out.',
    })
  }
  if (retrieve === undefined) throw invalidBody('documents', 'This server has no documents. Leave the field out.')
}

export interface Grounded {
  readonly request: ModelRequest
  readonly relay: RelayAnswer
}

/** The request with its sources, and how its answer is relayed. Answers 400, or what the search answers, by throwing. */
export async function grounded(
  { retrieve, shutdown }: Grounding,
  request: ModelRequest,
  { context, caller }: { readonly context: RequestContext; readonly caller: Caller },
): Promise<Grounded> {
  const spec = request.documents
  if (spec === null || retrieve === undefined) throw new Error('the field was not checked')
  const body: unknown = JSON.parse(request.bytes.toString())
  const query = queryOf(isObject(body) ? body['messages'] : null)
  if (query === '')
    throw invalidBody('messages', 'To look into documents there must be a message of the user with a text.')
  using end = new FirstOf([context.signal, shutdown])
  const found = await retrieve({ caller, query, spec, signal: end.signal }).catch((thrown: unknown) => {
    if (context.signal.aborted) throw new ApiError('client_closed')
    if (shutdown.aborted) throw new ApiError('shutting_down')
    throw thrown
  })
  const chunks = withinBudget(found.slice(0, spec.topK), spec.maxTokens)
  return { request: withBytes(request, bodyWithSources(request.bytes, chunks)), relay: relayCiting(chunks) }
}

/** As many of the best as fit; one that is too long leaves room for shorter ones after it. */
function withinBudget(chunks: readonly RetrievedChunk[], maxTokens: number | null): readonly RetrievedChunk[] {
  let left = maxTokens ?? Infinity
  return chunks.filter(({ tokens }) => {
    if (tokens > left) return false
    left -= tokens
    return true
  })
}

/**
 * A signal that is aborted with the first of several. The runtime's AbortSignal.any keeps every signal
 * that it makes for as long as the longest-lived of its sources; here that is the whole process.
 */
class FirstOf implements Disposable {
  readonly #sources: readonly AbortSignal[]
  readonly #controller = new AbortController()

  constructor(sources: readonly AbortSignal[]) {
    this.#sources = sources
    for (const source of sources) source.addEventListener('abort', this.#look)
    this.#look()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#look)
  }

  readonly #look = (): void => {
    const aborted = this.#sources.find((source) => source.aborted)
    if (aborted !== undefined) this.#controller.abort(aborted.reason)
  }
}
