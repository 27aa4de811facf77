/**
 * One response that is made of several rounds: the items of all of them under ids of the gateway, calls of the search as
 * `file_search_call`, cited passages as annotations, events counted through, tokens added up.
 * Shapes: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { isObject } from '#lib/json-value.ts'
import type { KeptState } from '../request/response-state.ts'
import { keptResponseId, outputItemId } from '../responses/kept-ids.ts'
import { CitedText, type CitedPiece } from './cited-text.ts'
import type { FoundPassage } from './search-files.ts'

type Fields = Readonly<Record<string, unknown>>

export interface AnswerOptions {
  readonly state: KeptState
  /** What the function is called upstream. */
  readonly name: string
  /** Fields of the client's request that the response repeats. */
  readonly echo: Fields
  readonly wantsResults: boolean
  /** The passages for these arguments of a call, and what the questions were. */
  readonly search: (text: unknown) => Promise<Searched>
}

export interface Searched {
  readonly queries: readonly string[]
  /** Null when the search failed. */
  readonly passages: readonly FoundPassage[] | null
  /** What the model is told when it failed. */
  readonly failure: string
}

export interface RoundEnd {
  /** The response of the round, as its provider wrote it. */
  readonly response: Fields
  /** What the searches of the round found, as input of the next. */
  readonly found: readonly Fields[]
  /** The client has calls to answer, or the answer is not complete. */
  readonly isFinal: boolean
}

const openings = new Set(['response.created', 'response.in_progress', 'response.queued'])
const callTypes = new Set(['function_call', 'custom_tool_call', 'computer_call', 'local_shell_call', 'shell_call'])

export class SearchedAnswer {
  searches = 0
  readonly #options: AnswerOptions
  readonly #output: Fields[] = []
  readonly #texts = new Map<string, CitedText>()
  readonly #passages: FoundPassage[] = []
  #usage: unknown = null
  #sequence = 0
  #opened = false

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  /** The events of the next round; returns how it ended. */
  async *round(events: AsyncIterable<Fields | null>): AsyncGenerator<string, RoundEnd> {
    /** Where the items of the round are in the whole, by their own index; negative for searches. */
    const places = new Map<unknown, number>()
    const found: Fields[] = []
    for await (const event of events) {
      if (event === null) {
        yield ': keep-alive\n\n'
        continue
      }
      const { response } = event
      if (!isObject(response)) yield* this.#itemEvents(event, places, found)
      else if (openings.has(String(event['type']))) yield* this.#begun(event, response)
      else return this.#ended(response, found)
    }
    return { response: { status: 'failed' }, found, isFinal: true }
  }

  /** The response as it is now, with what the last round says about it. */
  response(last: Fields): Fields {
    const { echo, state } = this.#options
    return {
      ...last,
      ...echo,
      id: keptResponseId(state.hex),
      output: [...this.#output],
      usage: this.#usage,
      store: state.stored,
      background: state.background,
      previous_response_id: state.previousId,
      ...(state.conversationId !== null && { conversation: { id: state.conversationId } }),
    }
  }

  /** The event that ends the whole. */
  end(last: Fields): string {
    const response = this.response(last)
    return this.#event({ type: `response.${String(last['status'])}`, response })
  }

  /** The events of an answer that broke off. */
  fail(error: Fields): string {
    const failed = { code: 'server_error', message: error['message'] }
    const about = { code: error['code'], message: error['message'], param: error['param'] ?? null, error }
    return (
      this.#event({ type: 'error', ...about }) +
      this.end({ object: 'response', status: 'failed', error: failed, incomplete_details: null })
    )
  }

  #ended(response: Fields, found: readonly Fields[]): RoundEnd {
    this.#usage = summed(this.#usage, response['usage'] ?? null)
    const output = Array.isArray(response['output']) ? response['output'].filter(isObject) : []
    const hasCalls = output.some((item) => callTypes.has(String(item['type'])) && !this.#isSearch(item))
    const isFinal = response['status'] !== 'completed' || found.length === 0 || hasCalls
    return { response, found, isFinal }
  }

  #isSearch({ type, name }: Fields): boolean {
    return type === 'function_call' && name === this.#options.name
  }

  /** The first round opens the response. */
  *#begun(event: Fields, response: Fields): Generator<string> {
    if (!this.#opened) yield this.#event({ ...event, response: this.response(response) })
    this.#opened ||= event['type'] === 'response.in_progress'
  }

  async *#itemEvents(event: Fields, places: Map<unknown, number>, found: Fields[]): AsyncGenerator<string> {
    const { type, item, output_index: index } = event
    const place = places.get(index)
    if (type === 'response.output_item.added' && isObject(item)) {
      const at = this.#output.length
      const isSearch = this.#isSearch(item)
      places.set(index, isSearch ? -1 - at : at)
      if (isSearch) yield* this.#beginSearch()
      else yield* this.#begin(event, item)
    } else if (place === undefined) yield this.#event(event)
    else if (place >= 0) yield* this.#grow(event, place)
    else if (type === 'response.output_item.done' && isObject(item)) found.push(yield* this.#search(item, -1 - place))
  }

  *#begin(event: Fields, item: Fields): Generator<string> {
    const at = this.#output.length
    const own = { ...item, id: outputItemId(this.#options.state.hex, at, prefixOf(item)) }
    this.#output.push(own)
    yield this.#event({ ...event, output_index: at, item: own })
  }

  *#grow(event: Fields, at: number): Generator<string> {
    const id = this.#output[at]?.['id']
    const { type, content_index: content } = event
    const own = { ...event, output_index: at, ...(event['item_id'] !== undefined && { item_id: id }) }
    const part = this.#textOf(at, content)
    if (type === 'response.output_text.delta') {
      yield* this.#textEvents(own, part, part.push(String(event['delta'])))
    } else if (type === 'response.output_text.annotation.added') {
      part.annotations.push(event['annotation'])
      yield this.#event({ ...own, annotation_index: part.annotations.length - 1 })
    } else if (type === 'response.output_text.done') {
      yield* this.#textEvents({ ...own, type: 'response.output_text.delta', logprobs: [] }, part, part.end())
      yield this.#event({ ...own, text: part.text })
    } else if (type === 'response.content_part.done') {
      yield this.#event({ ...own, part: this.#citedPart(event['part'], at, content) })
    } else if (type === 'response.output_item.done' && isObject(event['item'])) {
      const item = this.#citedItem({ ...event['item'], id }, at)
      this.#output[at] = item
      yield this.#event({ ...own, item })
    } else yield this.#event(own)
  }

  *#textEvents(event: Fields, part: CitedText, { text, citations }: CitedPiece): Generator<string> {
    const { text: _, ...delta } = event
    if (text !== '') yield this.#event({ ...delta, delta: text })
    for (const annotation of citations) {
      part.annotations.push(annotation)
      const { item_id, output_index, content_index } = event
      const at = { item_id, output_index, content_index, annotation_index: part.annotations.length - 1 }
      yield this.#event({ type: 'response.output_text.annotation.added', ...at, annotation })
    }
  }

  #textOf(at: number, content: unknown): CitedText {
    const key = `${at} ${String(content)}`
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const made = new CitedText(this.#passages)
    this.#texts.set(key, made)
    return made
  }

  #citedPart(part: unknown, at: number, content: unknown): unknown {
    if (!isObject(part) || part['type'] !== 'output_text') return part
    const { text, annotations } = this.#textOf(at, content)
    return { ...part, text, annotations: [...annotations] }
  }

  #citedItem(item: Fields, at: number): Fields {
    const { content } = item
    if (item['type'] !== 'message' || !Array.isArray(content)) return item
    return { ...item, content: content.map((part: unknown, index) => this.#citedPart(part, at, index)) }
  }

  *#beginSearch(): Generator<string> {
    const at = this.#output.length
    const id = outputItemId(this.#options.state.hex, at, 'fs')
    const item = { id, type: 'file_search_call', status: 'in_progress', queries: [], results: null }
    this.#output.push(item)
    yield this.#event({ type: 'response.output_item.added', output_index: at, item })
    yield this.#event({ type: 'response.file_search_call.in_progress', output_index: at, item_id: id })
  }

  async *#search(call: Fields, at: number): AsyncGenerator<string, Fields> {
    this.searches += 1
    const begun = this.#output[at] ?? {}
    const about = { output_index: at, item_id: begun['id'] }
    yield this.#event({ type: 'response.file_search_call.searching', ...about })
    const { queries, passages, failure } = await this.#options.search(call['arguments'])
    if (passages !== null) yield this.#event({ type: 'response.file_search_call.completed', ...about })
    const status = passages === null ? 'failed' : 'completed'
    const results = this.#options.wantsResults ? (passages ?? []).map(onWire) : null
    const item = { ...begun, status, queries, results }
    this.#output[at] = item
    yield this.#event({ type: 'response.output_item.done', output_index: at, item })
    const before = this.#passages.length
    this.#passages.push(...(passages ?? []))
    const output = passages === null ? failure : passagesText(passages, before)
    return { type: 'function_call_output', call_id: call['call_id'], output }
  }

  #event(fields: Fields): string {
    const { type, sequence_number: _, ...rest } = fields
    const event = { type, sequence_number: this.#sequence, ...rest }
    this.#sequence += 1
    return `event: ${String(type)}\ndata: ${JSON.stringify(event)}\n\n`
  }
}

function passagesText(passages: readonly FoundPassage[], before: number): string {
  if (passages.length === 0) return 'No passage was found.'
  return passages.map(({ filename, text }, at) => `【${before + at + 1}】 ${filename}\n${text}`).join('\n\n')
}

function onWire({ fileId, filename, attributes, score, text }: FoundPassage): Fields {
  return { file_id: fileId, filename, score, attributes, text }
}

function prefixOf({ id, type }: Fields): string {
  return /^[a-z]+(?=_)/.exec(String(id))?.[0] ?? (type === 'message' ? 'msg' : 'item')
}

/** Numbers added up, through all levels; what only one of them has is as it is. */
function summed(a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (!isObject(a) || !isObject(b)) return b ?? a
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, summed(a[name], b[name])]))
}
