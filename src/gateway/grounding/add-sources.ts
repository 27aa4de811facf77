/**
 * A chat over documents, between its admission and its first upstream: the chunks that the search
 * finds become part of the conversation, once for all attempts, and of the answer. Chats without the
 * field `documents` never come here.
 */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { mayUseArea } from '#identity/authenticate.ts'
import type { Caller } from '#identity/records.ts'
import { AnySignal } from '#lib/any-signal.ts'
import type { RelayAnswer } from '../relay/relay.ts'
import { invalidBody, parseBody } from '../request/fields.ts'
import { withBytes, type ModelRequest } from '../request/model-request.ts'
import { relayWithCitations } from './relay-with-citations.ts'
import type { RetrievedChunk, Retrieve } from './retrieve.ts'
import { bodyWithSources, turnsOf } from './sources-prompt.ts'

/** What a chat over documents needs of the gateway. */
export interface GroundingDeps {
  /** Searches the documents; null where there are none. */
  readonly retrieve: Retrieve | null
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}

/** Answers 403 for a key that is not for documents, and 400 where the server has none to search. */
export function checkDocuments({ retrieve }: GroundingDeps, caller: Caller): void {
  if (!mayUseArea(caller, 'documents')) {
    throw new ApiError('scope_denied', {
      param: 'documents',
      message:
        'This API key may not be used for "documents". Use a key whose scopes include it, or leave the field out.',
    })
  }
  if (retrieve === null) throw invalidBody('documents', 'This server has no documents. Leave the field out.')
}

export interface ChatWithSources {
  readonly request: ModelRequest
  readonly relay: RelayAnswer
}

/** The request with its sources, and how its answer is relayed. Answers 400, or what the search answers, by throwing. */
export async function addSources(
  { retrieve, shutdown }: GroundingDeps,
  request: ModelRequest,
  { context, caller, model }: { readonly context: RequestContext; readonly caller: Caller; readonly model: string },
): Promise<ChatWithSources> {
  const spec = request.documents
  if (spec === null || retrieve === null) throw new Error('the field "documents" was not checked')
  const turns = turnsOf(parseBody(request.bytes)['messages'])
  const last = turns.at(-1)
  if (last === undefined)
    throw invalidBody('messages', 'To look into documents there must be a message of the user with a text.')
  using ended = new AnySignal([context.signal, shutdown])
  const found = await retrieve({ caller, turns, model, spec, signal: ended.signal }).catch((thrown: unknown) => {
    if (context.signal.aborted) throw new ApiError('client_closed')
    if (shutdown.aborted) throw new ApiError('shutting_down')
    throw thrown
  })
  const chunks = withinBudget(found.chunks.slice(0, spec.topK), spec.maxTokens)
  const { query, warnings } = found
  // Nothing to tell where the last message was searched for, and all was done that was asked.
  const told = query === last.text && warnings.length === 0 ? null : { query, warnings }
  return {
    request: withBytes(request, bodyWithSources(request.bytes, chunks)),
    relay: relayWithCitations(chunks, told),
  }
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
