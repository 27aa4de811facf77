/**
 * What the model thinks before it speaks. Clients that asked for a summary read it as one, because
 * they show nothing else; to all others it is the thoughts themselves. The words are the same.
 */
import type { Json } from '../fields.ts'
import { OutputItem, type ItemPlace } from './output-item.ts'
import { sealThoughts } from '../sealed-thoughts.ts'

const wordings = {
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

export class ReasoningItem extends OutputItem {
  readonly #wording: keyof typeof wordings
  readonly #details: Json[] = []
  #text = ''

  constructor(place: ItemPlace, asSummary: boolean) {
    super(place)
    this.#wording = asSummary ? 'summary' : 'content'
    this.open()
  }

  addThoughts(delta: string): void {
    const { added, delta: type } = wordings[this.#wording]
    if (this.#text === '') this.tellInside(added, { ...this.#at(), part: this.#part() })
    this.#text += delta
    this.tellInside(type, { ...this.#at(), delta })
  }

  /** What the upstream wants back with its thoughts; a stream may send it in fragments. */
  addDetail(detail: Json): void {
    const last = this.#details.at(-1)
    if (last !== undefined && isContinued(last, detail)) this.#details[this.#details.length - 1] = joined(last, detail)
    else this.#details.push(detail)
  }

  override value(): Json {
    const parts = this.#text === '' ? [] : [this.#part()]
    return {
      id: this.place.id,
      type: 'reasoning',
      summary: this.#wording === 'summary' ? parts : [],
      ...(this.#wording === 'content' ? { content: parts } : {}),
      ...(this.#details.length === 0 ? {} : { encrypted_content: sealThoughts(this.#details) }),
      status: this.status,
    }
  }

  protected override closeInside(): void {
    if (this.#text === '') return
    const { textDone, done } = wordings[this.#wording]
    this.tellInside(textDone, { ...this.#at(), text: this.#text })
    this.tellInside(done, { ...this.#at(), part: this.#part() })
  }

  #at(): Json {
    return { [wordings[this.#wording].index]: 0 }
  }

  #part(): Json {
    return { type: wordings[this.#wording].part, text: this.#text }
  }
}

function isContinued(last: Json, next: Json): boolean {
  return typeof last['index'] === 'number' && last['index'] === next['index'] && last['type'] === next['type']
}

function joined(last: Json, next: Json): Json {
  const both: Record<string, unknown> = { ...last }
  for (const [name, value] of Object.entries(next)) {
    const before = both[name]
    const grows = name === 'text' || name === 'summary' || name === 'data'
    if (grows && typeof before === 'string' && typeof value === 'string') both[name] = before + value
    else if (value !== null) both[name] = value
  }
  return both
}
