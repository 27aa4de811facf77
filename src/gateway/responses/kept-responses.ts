/**
 * The responses and conversations that the gateway keeps: for models whose provider has no Responses API. A failure of
 * the database never costs an answer: one that cannot be kept is not found later.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Clock } from '#lib/clock.ts'
import type { Conversation, ConversationItem, ConversationStore } from '#store/kept/conversations.ts'
import type {
  KeptResponse,
  KeptResponseStore,
  KeptStatus,
  KeptTexts,
  NewKeptResponse,
} from '#store/kept/kept-responses.ts'
import type { KeptState } from '../request/response-state.ts'
import { inputItemId, keptResponseId } from './kept-ids.ts'

export interface KeptResponsesOptions {
  readonly responses: KeptResponseStore
  readonly conversations: ConversationStore
  readonly settings: LiveSettings
  readonly clock: Clock
  /** Called for each write that failed behind an answer. */
  readonly onError: (error: unknown) => void
}

/** A Response object. */
export type ResponseObject = Readonly<Record<string, unknown>>

export interface KeptOwner {
  readonly userId: string
  readonly modelId: string
}

/** Most responses of one chain. */
const chainMax = 1000
/** Most items of a conversation that a model is given. */
const conversationItemsMax = 10_000
const dayMs = 24 * 60 * 60 * 1000

export class KeptResponses {
  readonly responses: KeptResponseStore
  readonly conversations: ConversationStore
  readonly #options: KeptResponsesOptions
  /** Responses for the next transaction, which has not begun yet. */
  #batch: { readonly responses: NewKeptResponse[]; readonly written: Promise<void> } | null = null
  /** The transaction before it; never rejects. */
  #written: Promise<void> = Promise.resolve()

  constructor(options: KeptResponsesOptions) {
    this.#options = options
    this.responses = options.responses
    this.conversations = options.conversations
  }

  /** Keeps a complete answer, in its conversation too. Never rejects. */
  async keep(answer: ResponseObject, { userId, modelId }: KeptOwner, state: KeptState): Promise<void> {
    const { clock, onError } = this.#options
    const now = clock.now()
    try {
      if (state.conversationId !== null) await this.#addToConversation(state.conversationId, answer, state)
      if (!state.stored) return
      const { previousId } = state
      const status = statusOf(answer)
      const row = { id: keptResponseId(state.hex), userId, modelId, previousId, status, lease: null }
      await this.#insert({
        ...row,
        createdAt: now,
        usedAt: now,
        texts: { ...textsOf(answer), input: state.ownItems() },
      })
    } catch (error) {
      onError(error)
    }
  }

  /** The response and all that it builds on, the oldest first; none when there is no such response. */
  async chain(id: string): Promise<readonly KeptResponse[]> {
    return reading(this.responses.chain(id, chainMax))
  }

  /** The items of a chain: input and output of each response. They are in use from now on. */
  async chainItems(chain: readonly KeptResponse[]): Promise<readonly string[]> {
    const ids = chain.map(({ id }) => id)
    const [inputs, outputs] = await Promise.all([this.inputs(ids), this.outputs(ids)])
    const now = this.#options.clock.now()
    const stale = chain.filter(({ usedAt }) => usedAt < now - dayMs).map(({ id }) => id)
    await this.responses.touch(stale, now).catch(this.#options.onError)
    return ids.flatMap((_, at) => [inputs[at] ?? '', outputs[at] ?? ''])
  }

  list(ids: readonly string[]): Promise<readonly KeptResponse[]> {
    return reading(this.responses.listOfIds(ids))
  }

  inputs(ids: readonly string[]): Promise<readonly string[]> {
    return reading(this.responses.texts(ids, 'input'))
  }

  outputs(ids: readonly string[]): Promise<readonly string[]> {
    return reading(this.responses.texts(ids, 'output'))
  }

  /** The whole Response object, as JSON; null when it was deleted in the meantime. */
  async text({ id, status }: KeptResponse): Promise<string | null> {
    const [[output = ''], [rest = '']] = await Promise.all([
      this.outputs([id]),
      reading(this.responses.texts([id], 'response')),
    ])
    return rest === '' ? null : `{"status":${JSON.stringify(status)},"output":[${output}],${rest.slice(1)}`
  }

  conversation(id: string): Promise<Conversation | null> {
    return reading(this.conversations.find(id))
  }

  /** The items of a conversation in their order, each as JSON. */
  async conversationItems(id: string): Promise<readonly string[]> {
    const range = { limit: conversationItemsMax, descending: false, after: null }
    return ((await reading(this.conversations.items(id, range))) ?? []).map(({ text }) => text)
  }

  /** Responses that are complete at about the same time share a transaction, and so one wait for the disk. */
  #insert(response: NewKeptResponse): Promise<void> {
    if (this.#batch === null) {
      const responses: NewKeptResponse[] = []
      const begun = this.#written.then(() => new Promise((resolve) => setImmediate(resolve)))
      const written = begun.then(() => {
        this.#batch = null
        return this.responses.insertMany(responses, this.#options.settings.get('responses.account_bytes_max'))
      })
      this.#batch = { responses, written }
      this.#written = written.catch(() => undefined)
    }
    this.#batch.responses.push(response)
    return this.#batch.written
  }

  async #addToConversation(id: string, answer: ResponseObject, state: KeptState): Promise<void> {
    const { clock, settings } = this.#options
    const own = JSON.parse(`[${state.ownItems()}]`) as readonly ResponseObject[]
    const output = Array.isArray(answer['output']) ? (answer['output'] as readonly ResponseObject[]) : []
    const items = [...conversationEntries(own, state.hex), ...output.map(entryOf)]
    await this.conversations.append(id, items, {
      now: clock.now(),
      bytesMax: settings.get('responses.account_bytes_max'),
    })
  }
}

/** A caller's items as a conversation keeps them: each with a new id. */
export function conversationEntries(items: readonly ResponseObject[], hex: string): readonly ConversationItem[] {
  return items.map((item, index) => entryOf({ ...item, id: inputItemId(keptResponseId(hex), index, prefixOf(item)) }))
}

function entryOf(item: ResponseObject): ConversationItem {
  return { id: String(item['id']), text: JSON.stringify(item) }
}

/** The object in the parts in which it is kept. */
export function textsOf(answer: ResponseObject): KeptTexts {
  const { output, status: _, ...rest } = answer
  return {
    output: Array.isArray(output) ? JSON.stringify(output).slice(1, -1) : '',
    response: JSON.stringify(rest),
  }
}

export function statusOf({ status }: ResponseObject): KeptStatus {
  return status === 'incomplete' || status === 'failed' || status === 'cancelled' ? status : 'completed'
}

function prefixOf({ type }: ResponseObject): string {
  if (type === 'function_call' || type === 'function_call_output') return 'fc'
  return type === 'reasoning' ? 'rs' : 'msg'
}

/** Reads that a request cannot go on without. Answers 503 by throwing. */
async function reading<T>(read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (cause) {
    throw new ApiError('store_unavailable', { cause })
  }
}
