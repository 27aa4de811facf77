/** The vector of a question, in the space in which documents were embedded. */
import type { Caller } from '#identity/records.ts'
import type { Component } from '#store/documents/document-store.ts'
import { EmbedFailure } from './embedder.ts'
import type { EmbedderRegistry } from './embedder-registry.ts'
import type { EmbedQueue } from './embed-queue.ts'

export interface QueryEmbedding {
  /** The embedder as the documents' records name it. */
  readonly component: Component
  readonly caller: Caller
  readonly text: string
  readonly dimensions: number
  readonly signal: AbortSignal
}

/** A vector of length 1. Rejects with EmbedFailure. */
export async function embedQuery(
  embedders: EmbedderRegistry,
  queue: EmbedQueue,
  { component, caller, text, dimensions, signal }: QueryEmbedding,
): Promise<Float32Array> {
  const embedder = embedders.get(component, { userId: caller.account.user.id, rights: 'documents' })
  const [vector] = await queue.embed(embedder, { texts: [text], purpose: 'query', signal, dimensions })
  if (vector === undefined)
    throw new EmbedFailure('embedder_invalid_answer', 'The embedder gave no vector.', { retryable: true })
  return vector
}
