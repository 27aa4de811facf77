/** What the model says to the user: parts of text, or of a refusal. */
import type { Json } from '../fields.ts'
import { OutputItem, type ItemPlace } from './output-item.ts'

interface TextPart {
  readonly type: 'output_text'
  text: string
  readonly logprobs: Json[]
}

interface RefusalPart {
  readonly type: 'refusal'
  refusal: string
}

export class MessageItem extends OutputItem {
  readonly #parts: (TextPart | RefusalPart)[] = []

  constructor(place: ItemPlace) {
    super(place)
    this.open()
  }

  addText(delta: string, logprobs: readonly Json[]): void {
    const last = this.#parts.at(-1)
    const part = last?.type === 'output_text' ? last : this.#openPart({ type: 'output_text', text: '', logprobs: [] })
    part.text += delta
    part.logprobs.push(...logprobs)
    this.tellInside('response.output_text.delta', { content_index: this.#lastIndex(), delta, logprobs })
  }

  addRefusal(delta: string): void {
    const last = this.#parts.at(-1)
    const part = last?.type === 'refusal' ? last : this.#openPart({ type: 'refusal', refusal: '' })
    part.refusal += delta
    this.tellInside('response.refusal.delta', { content_index: this.#lastIndex(), delta })
  }

  override value(): Json {
    const content = this.#parts.map(partValue)
    return { id: this.place.id, type: 'message', status: this.status, role: 'assistant', content }
  }

  protected override closeInside(): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    const at = { content_index: this.#lastIndex() }
    if (part.type === 'refusal') this.tellInside('response.refusal.done', { ...at, refusal: part.refusal })
    else this.tellInside('response.output_text.done', { ...at, text: part.text, logprobs: part.logprobs })
    this.tellInside('response.content_part.done', { ...at, part: partValue(part) })
  }

  #openPart<Part extends TextPart | RefusalPart>(part: Part): Part {
    this.closeInside()
    this.#parts.push(part)
    this.tellInside('response.content_part.added', { content_index: this.#lastIndex(), part: partValue(part) })
    return part
  }

  #lastIndex(): number {
    return this.#parts.length - 1
  }
}

function partValue(part: TextPart | RefusalPart): Json {
  if (part.type === 'refusal') return { ...part }
  return { type: part.type, annotations: [], logprobs: [...part.logprobs], text: part.text }
}
