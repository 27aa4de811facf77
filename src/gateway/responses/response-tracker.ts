/**
 * Follows a response that its provider may store: its owner is registered before the client sees its
 * id, and its tokens are counted once, by the first request that shows them.
 */
import { isObject } from '#lib/json-value.ts'
import type { StoredResponse } from '#store/stored-responses.ts'
import type { ResponseInfo, ResponseNames, ResponseTracker } from '../relay/relay.ts'
import { readStoredId } from '../request/response-state.ts'
import type { ResponseRegistry } from './response-registry.ts'

const running = new Set(['queued', 'in_progress'])

/** What a response, or the `response` of an event, says about itself. */
export function readResponseInfo(fields: Readonly<Record<string, unknown>>): ResponseInfo {
  const { id, status, store, background, conversation } = fields
  return {
    id: readStoredId(id),
    ended: typeof status !== 'string' || !running.has(status),
    store: store !== false,
    background: background === true,
    conversationId: readStoredId(isObject(conversation) ? conversation['id'] : conversation),
  }
}

/** Keeps a complete answer; never rejects. */
export type KeepAnswer = (answer: Readonly<Record<string, unknown>>) => Promise<void>

/** What is done with a new response. */
export interface NewResponse {
  /** The request does not say `store: false`. */
  readonly stored: boolean
  /** What the gateway does with the complete answer; nothing when left out. */
  readonly keep?: KeepAnswer | null
  /** The gateway's names for an answer of which its provider stores nothing. */
  readonly names?: ResponseNames | null
}

/** Registers the owner of a new response, unless the gateway is the only one that keeps it. */
export class NewResponseTracker implements ResponseTracker {
  readonly keeps: boolean
  readonly names: ResponseNames | null
  readonly #registry: ResponseRegistry
  readonly #owner: Omit<StoredResponse, 'id' | 'usageDue'>
  readonly #stored: boolean
  readonly #keep: KeepAnswer | null
  /** Set while another request may count its tokens, too. */
  #due: StoredResponse | null = null

  constructor(
    registry: ResponseRegistry,
    owner: Omit<StoredResponse, 'id' | 'usageDue'>,
    { stored, keep = null, names = null }: NewResponse,
  ) {
    this.#registry = registry
    this.#owner = owner
    this.#stored = stored
    this.#keep = keep
    this.keeps = keep !== null
    this.names = names
  }

  async keep(answer: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#keep?.(answer)
  }

  async observe({ id, ended, store, background, conversationId }: ResponseInfo): Promise<void> {
    if (this.names !== null) return
    const writes: Promise<void>[] = []
    if (conversationId !== null)
      writes.push(this.#registry.register({ ...this.#owner, id: conversationId, usageDue: false }))
    if (id !== null && store && this.#stored) {
      const response = { ...this.#owner, id, usageDue: background && !ended }
      if (response.usageDue) this.#due = response
      writes.push(this.#registry.register(response))
    }
    await Promise.all(writes)
  }

  async claimUsage(): Promise<boolean> {
    return this.#due === null || this.#registry.claimUsage(this.#due)
  }
}

/** Tracks a response of an earlier request, which counted the tokens unless the response was still running. */
export class StoredResponseTracker implements ResponseTracker {
  readonly keeps = false
  readonly names = null
  readonly #registry: ResponseRegistry
  readonly #response: StoredResponse

  constructor(registry: ResponseRegistry, response: StoredResponse) {
    this.#registry = registry
    this.#response = response
  }

  observe(): Promise<void> {
    return Promise.resolve()
  }

  keep(): Promise<void> {
    return Promise.resolve()
  }

  async claimUsage(): Promise<boolean> {
    return this.#response.usageDue && this.#registry.claimUsage(this.#response)
  }
}
