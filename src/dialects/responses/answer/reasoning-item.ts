/**
 * The reasoning of the model. Clients that asked for a summary receive it as one, because they show
 * nothing else; all others receive it as reasoning text. The text is the same.
 */
import { appendReasoningDetail, type ReasoningDetail } from '../../chat/reasoning-details.ts'
import type { JsonObject } from '../../dialect.ts'
import { OutputItem, type ItemContext } from './output-item.ts'
import { encodeEncryptedContent } from '../request/encrypted-content.ts'

const eventNames = {
  summary: {
    part: 'summary_text',
    index: 'summary_index',
    added: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    textDone: 'response.reasoning_summary_text.done',
    done: 'response.reasoning_summary_part.done',
  },
  content: {
    part: 'reasoning_text',
    index: 'content_index',
    added: 'response.content_part.added',
    delta: 'response.reasoning_text.delta',
    textDone: 'response.reasoning_text.done',
    done: 'response.content_part.done',
  },
} as const

/** An output item of type `reasoning`. */
export class ReasoningItem extends OutputItem {
  readonly #form: keyof typeof eventNames
  readonly #details: ReasoningDetail[] = []
  #text = ''

  constructor(context: ItemContext, asSummary: boolean) {
    super(context)
    this.#form = asSummary ? 'summary' : 'content'
    this.open()
  }

  addText(delta: string): void {
    const { added, delta: type } = eventNames[this.#form]
    if (this.#text === '') this.emitPart(added, { ...this.#at(), part: this.#part() })
    this.#text += delta
    this.emitPart(type, { ...this.#at(), delta })
  }

  /** Adds what the upstream wants back with its reasoning. */
  addDetail(detail: ReasoningDetail): void {
    appendReasoningDetail(this.#details, detail)
  }

  override snapshot(): JsonObject {
    const parts = this.#text === '' ? [] : [this.#part()]
    return {
      id: this.context.id,
      type: 'reasoning',
      summary: this.#form === 'summary' ? parts : [],
      ...(this.#form === 'content' ? { content: parts } : {}),
      ...(this.#details.length === 0 ? {} : { encrypted_content: encodeEncryptedContent(this.#details) }),
      status: this.status,
    }
  }

  protected override closePart(): void {
    if (this.#text === '') return
    const { textDone, done } = eventNames[this.#form]
    this.emitPart(textDone, { ...this.#at(), text: this.#text })
    this.emitPart(done, { ...this.#at(), part: this.#part() })
  }

  #at(): JsonObject {
    return { [eventNames[this.#form].index]: 0 }
  }

  #part(): JsonObject {
    return { type: eventNames[this.#form].part, text: this.#text }
  }
}
