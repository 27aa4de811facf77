/**
 * Makes one body of several embeddings requests, and several answers of the one answer. Bytes are cut
 * and concatenated, never parsed, so that every vector reaches its client exactly as the upstream wrote it.
 */
import { Buffer } from 'node:buffer'
import { findFields, findItems, replaceSpans, type FieldSpan, type Span } from '#lib/json-span.ts'

/** What one request adds to a batch. */
export interface EmbeddingPart {
  /** Its inputs, each as JSON. */
  readonly items: readonly Buffer[]
  /** What they add to a body. */
  readonly bytes: number
  /** Its share of the usage: bytes of text, or tokens. */
  readonly weight: number
  /** The body around the inputs: only equal ones can share a batch. */
  readonly before: Buffer
  readonly after: Buffer
  /** Texts and tokens cannot stand in one list. */
  readonly form: 'text' | 'tokens'
}

const inputField = new Set(['input'])
const answerFields = new Set(['data', 'usage'])
const dataField = new Set(['data'])
const embeddingField = new Set(['embedding'])
const indexField = new Set(['index'])
const quote = 0x22
const quotesLength = 2
const openBracket = 0x5b
const closeBracket = 0x5d

/** The part that a body would be; null when it cannot share a batch. */
export function embeddingPart(body: Buffer): EmbeddingPart | null {
  const [input, repeated] = findFields(body, inputField)
  if (input === undefined || repeated !== undefined) return null
  const found = inputsOf(body, input)
  if (found === null) return null
  const { spans, form } = found
  const items = spans.map(({ start, end }) => body.subarray(start, end))
  const sizes = items.map((item) => (form === 'text' ? item.length - quotesLength : findItems(item, 0).length))
  const weight = sizes.reduce((sum, size) => sum + Math.max(1, size), 0)
  const bytes = items.reduce((sum, item) => sum + item.length + 1, 0)
  const [before, after] = [body.subarray(0, input.valueStart), body.subarray(input.valueEnd)]
  return { items, bytes, weight, before, after, form }
}

function inputsOf(body: Buffer, input: FieldSpan): { spans: readonly Span[]; form: EmbeddingPart['form'] } | null {
  const whole = { start: input.valueStart, end: input.valueEnd }
  if (body[whole.start] === quote) return { spans: [whole], form: 'text' }
  const spans = findItems(body, whole.start)
  const kinds = new Set(spans.map(({ start }) => kindOf(body[start])))
  const [kind] = kinds
  // A list of pictures, or of several kinds, is left to an upstream that knows what to do with it.
  if (kinds.size !== 1 || kind === undefined || kind === 'other') return null
  if (kind === 'number') return { spans: [whole], form: 'tokens' }
  return { spans, form: kind === 'string' ? 'text' : 'tokens' }
}

function kindOf(byte: number | undefined): 'string' | 'number' | 'list' | 'other' {
  if (byte === quote) return 'string'
  if (byte === openBracket) return 'list'
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) ? 'number' : 'other'
}

/** The body of one call for all parts, which have equal bodies around their inputs. There is at least one. */
export function batchBody(parts: readonly EmbeddingPart[]): Buffer<ArrayBuffer> {
  const [first] = parts
  if (first === undefined) throw new Error('a batch without requests')
  const inputs = parts.flatMap((part) => part.items)
  return Buffer.concat([first.before, listOf(inputs), first.after])
}

/**
 * The answer of a batch as one answer for each part, in their order, with indexes of its own and
 * its share of the usage. Null when the answer does not have exactly one vector for each input.
 */
export function splitAnswer(answer: Buffer, parts: readonly EmbeddingPart[]): readonly Buffer<ArrayBuffer>[] | null {
  const fields = findFields(answer, answerFields)
  const data = fields.filter((field) => field.name === 'data')
  const usage = fields.filter((field) => field.name === 'usage')
  const [list] = data
  if (list === undefined || data.length > 1 || usage.length > 1) return null
  if (answer[list.valueEnd - 1] !== closeBracket) return null
  const vectors = inOrder(findItems(answer, list.valueStart).map(({ start, end }) => answer.subarray(start, end)))
  if (vectors?.length !== parts.reduce((sum, part) => sum + part.items.length, 0)) return null
  const counts = usageShares(answer, usage[0], parts)
  let from = 0
  return parts.map(({ items }, at) => {
    const own = vectors.slice(from, from + items.length).map(renumbered)
    from += items.length
    const edits: { span: FieldSpan; bytes: Buffer }[] = [{ span: list, bytes: listOf(own) }]
    if (usage[0] !== undefined && counts !== null) edits.push({ span: usage[0], bytes: counts[at] ?? Buffer.alloc(0) })
    return replaced(answer, edits)
  })
}

/** The vectors of an answer in the order of their inputs, as the provider wrote them; null for any other answer. */
export function vectorsInOrder(answer: Buffer): readonly Buffer[] | null {
  const list = findFields(answer, dataField).at(-1)
  if (list === undefined || answer[list.valueEnd - 1] !== closeBracket) return null
  const items = inOrder(findItems(answer, list.valueStart).map(({ start, end }) => answer.subarray(start, end)))
  const vectors = items?.flatMap(({ json }) => {
    const field = findFields(json, embeddingField).at(-1)
    return field === undefined ? [] : [json.subarray(field.valueStart, field.valueEnd)]
  })
  return vectors?.length === items?.length ? (vectors ?? null) : null
}

interface Vector {
  readonly json: Buffer
  /** Where its number stands; null when it has none. */
  readonly index: FieldSpan | null
}

/** The vectors in the order of their inputs; null when their numbers make no sense. */
function inOrder(items: readonly Buffer[]): readonly Vector[] | null {
  const vectors = items.map((json) => ({ json, index: findFields(json, indexField)[0] ?? null }))
  if (vectors.every(({ index }) => index === null)) return vectors
  const ordered: Vector[] = []
  for (const vector of vectors) {
    const number = vector.index === null ? Number.NaN : Number(textOf(vector.json, vector.index))
    if (!Number.isInteger(number) || number < 0 || number >= vectors.length || ordered[number] !== undefined)
      return null
    ordered[number] = vector
  }
  return ordered
}

function renumbered({ json, index }: Vector, number: number): Buffer {
  if (index === null || textOf(json, index) === String(number)) return json
  return replaceSpans(json, [{ start: index.valueStart, end: index.valueEnd, text: String(number) }])
}

/** The usage of each part as JSON; null when it cannot be read, and then stays as it is. */
function usageShares(
  answer: Buffer,
  usage: FieldSpan | undefined,
  parts: readonly EmbeddingPart[],
): readonly Buffer[] | null {
  if (usage === undefined) return null
  try {
    const shares = sharesOf(
      JSON.parse(textOf(answer, usage)),
      parts.map((part) => part.weight),
    )
    return shares.map((share) => Buffer.from(JSON.stringify(share)))
  } catch {
    return null
  }
}

/** One value for each weight: counts in proportion, so that their sums are the count; everything else as it is. */
export function sharesOf(value: unknown, weights: readonly number[]): readonly unknown[] {
  if (typeof value === 'number') return apportioned(value, weights)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return weights.map(() => value)
  const names = Object.entries(value).map(([name, each]) => [name, sharesOf(each, weights)] as const)
  return weights.map((_, at) => Object.fromEntries(names.map(([name, shares]) => [name, shares[at]])))
}

/** Apportions a count by the largest remainders; any other number is divided exactly. */
function apportioned(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  const exact = weights.map((weight) => (total * weight) / sum)
  if (!Number.isSafeInteger(total) || total < 0) return exact
  const shares = exact.map(Math.floor)
  const left = total - shares.reduce((all, share) => all + share, 0)
  const byRemainder = exact.map((share, at) => ({ at, rest: share - Math.floor(share) }))
  byRemainder.sort((a, b) => b.rest - a.rest)
  for (const { at } of byRemainder.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1
  return shares
}

function textOf(json: Buffer, { valueStart, valueEnd }: FieldSpan): string {
  return json.toString('utf8', valueStart, valueEnd)
}

function listOf(items: readonly Uint8Array[]): Buffer {
  const pieces: Uint8Array[] = [Buffer.from('[')]
  for (const [at, item] of items.entries()) pieces.push(...(at === 0 ? [item] : [Buffer.from(','), item]))
  return Buffer.concat([...pieces, Buffer.from(']')])
}

function replaced(
  json: Buffer,
  edits: readonly { readonly span: FieldSpan; readonly bytes: Uint8Array }[],
): Buffer<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { span, bytes } of edits.toSorted((a, b) => a.span.valueStart - b.span.valueStart)) {
    pieces.push(json.subarray(from, span.valueStart), bytes)
    from = span.valueEnd
  }
  return Buffer.concat([...pieces, json.subarray(from)])
}
