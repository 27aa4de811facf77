/**
 * The embedders by the name that a document's record gives them, one object for each name, options and
 * account, so that texts of many documents meet in one queue.
 */
import type { Component } from '#store/documents/document-store.ts'
import { EmbedFailure, type Embedder } from './embedder.ts'
import { GatewayEmbedder, type EmbeddingsBody } from './gateway-embedder.ts'
import { hashingEmbedder, hashingSpaceKey } from './hashing-embedder.ts'

/** On whose account a model is called, looked up anew for each call. */
export interface EmbedAccount {
  readonly userId: string
  /**
   * `own`: with the rights of the user, for an import. `documents`: as whoever made the documents, for a
   * question about them: who may see documents may search them.
   */
  readonly rights: 'own' | 'documents'
}

export interface EmbedderBookOptions {
  /** Texts in one call of a model. */
  readonly batchMax: () => number
  /** The present name of a model of the gateway, or null when it is gone. */
  readonly modelName: (modelId: string) => string | null
  readonly callEmbeddings: (account: EmbedAccount, body: EmbeddingsBody, signal: AbortSignal) => Promise<Response>
  /** Null when no local model is configured. */
  readonly local: Embedder | null
}

/** Objects of accounts that have not embedded for longest are dropped beyond this. */
const heldMax = 500

/** The embedders that are no models of the gateway. */
export const builtInEmbedders = ['hashing', 'local'] as const

export class EmbedderBook {
  readonly #options: EmbedderBookOptions
  readonly #held = new Map<string, Embedder>()

  constructor(options: EmbedderBookOptions) {
    this.#options = options
  }

  /** Throws EmbedFailure when there is none any more. */
  of(component: Component, account: EmbedAccount): Embedder {
    if (component.name === 'hashing') return hashingEmbedder
    if (component.name === 'local') {
      if (this.#options.local !== null) return this.#options.local
      throw unavailable('The embedder "local" is not configured: set documents.local_model_dir.')
    }
    const modelId = component['model_id']
    const model = typeof modelId === 'string' ? this.#options.modelName(modelId) : null
    if (model === null)
      throw unavailable(`The embedding model ${JSON.stringify(component.name)} does not exist any more.`)
    return this.#gateway(component, model, account)
  }

  #gateway(component: Component, model: string, account: EmbedAccount): Embedder {
    const { dimensions } = component
    const key = JSON.stringify([account, model, component['model_id'], dimensions])
    const held = this.#held.get(key)
    // Set again, so that the map is in the order of use.
    this.#held.delete(key)
    const embedder =
      held ??
      new GatewayEmbedder((body, signal) => this.#options.callEmbeddings(account, body, signal), {
        model,
        batchMax: this.#options.batchMax(),
        ...(typeof dimensions === 'number' && { dimensions }),
      })
    this.#held.set(key, embedder)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= heldMax) break
      this.#held.delete(oldest)
    }
    return embedder
  }
}

/** Identity of the space that vectors of this length from this embedder belong to. */
export function spaceKeyOf(component: Component, dimensions: number): string {
  if (component.name === 'hashing') return hashingSpaceKey
  const [kind, model] = component.name === 'local' ? ['local', component['model']] : ['model', component['model_id']]
  return `${kind}:${typeof model === 'string' ? model : ''}/${dimensions}`
}

function unavailable(message: string): EmbedFailure {
  return new EmbedFailure('embedder_unavailable', message, { retryable: false })
}
