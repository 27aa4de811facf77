/** A message to the user: parts of text, or of a refusal. */
import type { UrlCitation } from '../../chat/chat-answer.ts'
import type { JsonObject } from '../../dialect.ts'
import { OutputItem, type ItemContext } from './output-item.ts'

interface TextPart {
  readonly type: 'output_text'
  text: string
  readonly logprobs: JsonObject[]
  readonly annotations: JsonObject[]
}

interface RefusalPart {
  readonly type: 'refusal'
  refusal: string
}

/** An output item of type `message`. */
export class MessageItem extends OutputItem {
  readonly #parts: (TextPart | RefusalPart)[] = []

  constructor(context: ItemContext) {
    super(context)
    this.open()
  }

  addText(delta: string, logprobs: readonly JsonObject[]): void {
    const last = this.#parts.at(-1)
    const empty: TextPart = { type: 'output_text', text: '', logprobs: [], annotations: [] }
    const part = last?.type === 'output_text' ? last : this.#openPart(empty)
    part.text += delta
    part.logprobs.push(...logprobs)
    this.emitPart('response.output_text.delta', { content_index: this.#contentIndex(), delta, logprobs })
  }

  /** Adds a citation to the text before it; there has to be one. */
  addCitation({ url, title, start, end }: UrlCitation): void {
    const part = this.#parts.at(-1)
    if (part?.type !== 'output_text') return
    const annotation = { type: 'url_citation', url, title, start_index: start, end_index: end }
    const at = { content_index: this.#contentIndex(), annotation_index: part.annotations.length }
    part.annotations.push(annotation)
    this.emitPart('response.output_text.annotation.added', { ...at, annotation })
  }

  addRefusal(delta: string): void {
    const last = this.#parts.at(-1)
    const part = last?.type === 'refusal' ? last : this.#openPart({ type: 'refusal', refusal: '' })
    part.refusal += delta
    this.emitPart('response.refusal.delta', { content_index: this.#contentIndex(), delta })
  }

  override snapshot(): JsonObject {
    const content = this.#parts.map(partValue)
    return { id: this.context.id, type: 'message', status: this.status, role: 'assistant', content }
  }

  protected override closePart(): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    const at = { content_index: this.#contentIndex() }
    if (part.type === 'refusal') this.emitPart('response.refusal.done', { ...at, refusal: part.refusal })
    else this.emitPart('response.output_text.done', { ...at, text: part.text, logprobs: part.logprobs })
    this.emitPart('response.content_part.done', { ...at, part: partValue(part) })
  }

  #openPart<Part extends TextPart | RefusalPart>(part: Part): Part {
    this.closePart()
    this.#parts.push(part)
    this.emitPart('response.content_part.added', { content_index: this.#contentIndex(), part: partValue(part) })
    return part
  }

  #contentIndex(): number {
    return this.#parts.length - 1
  }
}

function partValue(part: TextPart | RefusalPart): JsonObject {
  if (part.type === 'refusal') return { ...part }
  return { type: part.type, annotations: [...part.annotations], logprobs: [...part.logprobs], text: part.text }
}
