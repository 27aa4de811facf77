/**
 * The embedders by the name that a document's record gives them, one object for each name, options and
 * account, so that texts of many documents meet in one queue.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Component } from '#store/documents/document-store.ts'
import type { CallerOf } from '../callers.ts'
import type { DocumentModels, NamedModel } from '../models.ts'
import { EmbedFailure, type Embedder } from './embedder.ts'
import { GatewayEmbedder, type EmbeddingsBody } from './gateway-embedder.ts'
import { hashingSpaceKey } from './hashing-embedder.ts'
import { modelOptionsOf } from './model-options.ts'

/** The account on which a model is called; it is looked up again for each call. */
export interface EmbedAccount {
  readonly userId: string
  /**
   * `own`: with the rights of the user, for an import. `documents`: also with the rights to the
   * embedding model, for a question: a user who may see documents may search them.
   */
  readonly rights: 'own' | 'documents'
}

export interface EmbedderRegistryOptions {
  /** Texts in one call of a model. */
  readonly batchMax: () => number
  readonly models: Pick<DocumentModels, 'byId' | 'embeddings'>
  readonly callerOf: CallerOf
  readonly hashing: Embedder
  /** Null when no local model is configured. */
  readonly local: Embedder | null
}

/** Objects of accounts that have not embedded for longest are dropped beyond this. */
const cachedMax = 500

/** The embedders that are not models of the gateway. */
export const builtInEmbedders = ['hashing', 'local'] as const

export class EmbedderRegistry {
  readonly #options: EmbedderRegistryOptions
  readonly #cached = new Map<string, Embedder>()

  constructor(options: EmbedderRegistryOptions) {
    this.#options = options
  }

  /** Throws EmbedFailure when there is none any more. */
  get(component: Component, account: EmbedAccount): Embedder {
    if (component.name === 'hashing') return this.#options.hashing
    if (component.name === 'local') {
      if (this.#options.local !== null) return this.#options.local
      throw unavailable('The embedder "local" is not configured: set documents.local_model_dir.')
    }
    const modelId = component['model_id']
    const model = typeof modelId === 'string' ? this.#options.models.byId(modelId) : null
    if (model === null)
      throw unavailable(`The embedding model ${JSON.stringify(component.name)} does not exist any more.`)
    return this.#gateway(component, model, account)
  }

  #gateway(component: Component, { id, name }: NamedModel, account: EmbedAccount): Embedder {
    const form = modelOptionsOf(component)
    const key = JSON.stringify([account, name, id, form])
    const cached = this.#cached.get(key)
    // Set again, so that the map is in the order of use.
    this.#cached.delete(key)
    const embedder =
      cached ??
      new GatewayEmbedder((body, signal) => this.#call({ account, modelId: id }, body, signal), {
        model: name,
        batchMax: this.#options.batchMax(),
        form,
      })
    this.#cached.set(key, embedder)
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= cachedMax) break
      this.#cached.delete(oldest)
    }
    return embedder
  }

  async #call(
    { account: { userId, rights }, modelId }: { readonly account: EmbedAccount; readonly modelId: string },
    body: EmbeddingsBody,
    signal: AbortSignal,
  ): Promise<Response> {
    const { callerOf, models } = this.#options
    const caller = callerOf(userId)
    if (caller === null) throw new ApiError('model_access_denied', { message: 'The user does not exist any more.' })
    if (rights === 'own') return models.embeddings({ caller, purpose: 'batch', body, signal })
    // A user who may see documents may search them, also without access to their embedding model.
    const groupIds = new Set([...caller.account.groupIds, ...(models.byId(modelId)?.groupIds ?? [])])
    const reader: Caller = { account: { ...caller.account, groupIds }, key: null }
    return models.embeddings({ caller: reader, purpose: 'realtime', body, signal })
  }
}

/** Identity of the space that vectors of this length from this embedder belong to. */
export function spaceKeyOf(component: Component, dimensions: number): string {
  if (component.name === 'hashing') return hashingSpaceKey
  const [kind, model] = component.name === 'local' ? ['local', component['model']] : ['model', component['model_id']]
  const form = kind === 'local' ? '' : formKeyOf(component)
  return `${kind}:${typeof model === 'string' ? model : ''}/${dimensions}${form}`
}

/** How the texts were put to the model; empty for documents that were embedded as they are. */
function formKeyOf(component: Component): string {
  const { query_prefix, passage_prefix, query_fields, passage_fields } = modelOptionsOf(component)
  const parts = [query_prefix, passage_prefix, query_fields, passage_fields].map((part) =>
    typeof part === 'object' ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)) : (part ?? null),
  )
  if (parts.every((part) => part === null)) return ''
  return `/${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)}`
}

function unavailable(message: string): EmbedFailure {
  return new EmbedFailure('embedder_unavailable', message, { retryable: false })
}
