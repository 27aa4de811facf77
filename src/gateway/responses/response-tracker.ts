/**
 * An answer of the Responses API that its provider keeps, as it passes: noted before the client sees
 * its id, and its tokens counted once, whichever request first shows them.
 */
import type { StoredResponse } from '#store/stored-responses.ts'
import { isObject } from '../request/fields.ts'
import type { ResponseBook } from './response-registry.ts'

/** What is read of an answer. */
export interface SeenAnswer {
  readonly id: string | null
  /** Its `status` says that nothing more will come. */
  readonly ended: boolean
  readonly store: boolean
  readonly background: boolean
  readonly conversationId: string | null
}

/** What is done about an answer that passes. */
export interface Keeper {
  /** The answer is about to be told to the client. */
  seen(answer: SeenAnswer): Promise<void>
  /** The answer has ended; whether its tokens belong into the record of this request. */
  countsUsage(): Promise<boolean>
}

const running = new Set(['queued', 'in_progress'])
const plainId = /^[\w-]{1,256}$/

/** The `id` of an object that a provider holds; null for anything that cannot stand in a path. */
export function heldId(value: unknown): string | null {
  return typeof value === 'string' && plainId.test(value) ? value : null
}

/** What an answer, or the `response` of an event, says of itself. */
export function seenAnswer(fields: Readonly<Record<string, unknown>>): SeenAnswer {
  const { id, status, store, background, conversation } = fields
  return {
    id: heldId(id),
    ended: typeof status !== 'string' || !running.has(status),
    store: store !== false,
    background: background === true,
    conversationId: heldId(isObject(conversation) ? conversation['id'] : conversation),
  }
}

/** Of a new answer: notes who made it and where it is. */
export class NewAnswer implements Keeper {
  readonly #book: ResponseBook
  readonly #owner: Omit<StoredResponse, 'id' | 'usageDue'>
  readonly #stored: boolean
  /** Its tokens may be asked for by another request. */
  #due: StoredResponse | null = null

  /** @param stored the request does not say `store: false` */
  constructor(book: ResponseBook, owner: Omit<StoredResponse, 'id' | 'usageDue'>, stored: boolean) {
    this.#book = book
    this.#owner = owner
    this.#stored = stored
  }

  async seen({ id, ended, store, background, conversationId }: SeenAnswer): Promise<void> {
    const notes: Promise<void>[] = []
    if (conversationId !== null)
      notes.push(this.#book.remember({ ...this.#owner, id: conversationId, usageDue: false }))
    if (id !== null && store && this.#stored) {
      const response = { ...this.#owner, id, usageDue: background && !ended }
      if (response.usageDue) this.#due = response
      notes.push(this.#book.remember(response))
    }
    await Promise.all(notes)
  }

  async countsUsage(): Promise<boolean> {
    return this.#due === null || this.#book.takeUsage(this.#due)
  }
}

/** Of one that was made before: its tokens were counted then, unless it was not ready. */
export class EarlierAnswer implements Keeper {
  readonly #book: ResponseBook
  readonly #response: StoredResponse

  constructor(book: ResponseBook, response: StoredResponse) {
    this.#book = book
    this.#response = response
  }

  seen(): Promise<void> {
    return Promise.resolve()
  }

  async countsUsage(): Promise<boolean> {
    return this.#response.usageDue && this.#book.takeUsage(this.#response)
  }
}
