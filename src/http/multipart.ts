/**
 * Reads `multipart/form-data` as it arrives (RFC 7578, RFC 2046 section 5.1), whatever the pieces.
 *
 * The scanner is the lower half: it turns bytes into tokens whose bytes, one after the other, are
 * exactly what came in, so a body can also be passed on unchanged. It holds nothing but the head of
 * a part and what may be the beginning of a delimiter. `parseMultipart` is the upper half: parts.
 */
import { ApiError } from '#errors/api-error.ts'

export interface MultipartLimits {
  readonly partsMax: number
  /** Of one part. */
  readonly headBytesMax: number
  /** Before the first part. */
  readonly preambleBytesMax: number
}

export interface PartHead {
  readonly name: string
  readonly fileName: string | null
  /** As sent, or null. */
  readonly contentType: string | null
}

export type MultipartToken =
  /** Preamble, first delimiter or epilogue. */
  | { readonly kind: 'frame'; readonly bytes: Buffer }
  /** The delimiter's line end and the fields of a part, up to its content. */
  | { readonly kind: 'head'; readonly bytes: Buffer; readonly head: PartHead }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  /** The content of the part is complete: the delimiter after it. */
  | { readonly kind: 'end'; readonly bytes: Buffer }

export interface MultipartPart extends PartHead {
  /** To be read before the next part is asked for; what is left unread then is skipped. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Enough for any form; a part's content is bounded by its reader. */
export const usualMultipartLimits: MultipartLimits = { partsMax: 1000, headBytesMax: 16_384, preambleBytesMax: 16_384 }

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')
const nothing = Buffer.alloc(0)
const parameters = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g
const formData = /^form-data(?:\s*;\s*[^\s=;"]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;"]+))+\s*;?\s*$/i

/** The boundary of a `multipart/form-data` content type; null for any other type or without a valid one. */
export function multipartBoundary(contentType: string | null): string | null {
  if (contentType === null || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) return null
  const boundary = parameter(contentType, 'boundary')
  return boundary !== null && /^[\x20-\x7e]{1,70}$/.test(boundary) && !boundary.endsWith(' ') ? boundary : null
}

export class MultipartScanner {
  readonly #delimiter: Buffer
  readonly #limits: MultipartLimits
  #state: 'preamble' | 'delimiter' | 'head' | 'data' | 'epilogue' = 'preamble'
  #held: Buffer = nothing
  #parts = 0
  #preambleBytes = 0
  /** The first delimiter may stand at the very beginning, without the line end before it. */
  #atStart = true

  constructor(boundary: string, limits: MultipartLimits = usualMultipartLimits) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#limits = limits
  }

  /** The closing delimiter has come. */
  get done(): boolean {
    return this.#state === 'epilogue'
  }

  /** What is certain with these bytes. Throws 400 for what is no multipart body or passes a limit. */
  push(bytes: Uint8Array): readonly MultipartToken[] {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let rest: Buffer = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    this.#held = nothing
    const tokens: MultipartToken[] = []
    while (rest.length > 0) {
      const taken = this.#step(rest, tokens)
      if (taken === 0) break
      rest = rest.subarray(taken)
    }
    // A copy: what is held must not keep a large piece in memory, nor change with it.
    this.#held = rest.length === 0 ? nothing : Buffer.from(rest)
    return tokens
  }

  /** Called at the end of the body. Throws 400 when the closing delimiter has not come. */
  end(): void {
    if (!this.done) throw malformed('it ends before its closing delimiter')
  }

  /** Takes bytes from the front and says how many; 0 when more must come first. */
  #step(rest: Buffer, tokens: MultipartToken[]): number {
    switch (this.#state) {
      case 'preamble':
        return this.#preamble(rest, tokens)
      case 'delimiter':
        return this.#afterDelimiter(rest, tokens)
      case 'head':
        return this.#head(rest, tokens)
      case 'data':
        return this.#data(rest, tokens)
      case 'epilogue':
        tokens.push({ kind: 'frame', bytes: rest })
        return rest.length
    }
  }

  #preamble(rest: Buffer, tokens: MultipartToken[]): number {
    const bare = this.#delimiter.subarray(lineEnd.length)
    if (this.#atStart) {
      if (rest.length < bare.length && rest.equals(bare.subarray(0, rest.length))) return 0
      this.#atStart = false
      if (rest.subarray(0, bare.length).equals(bare)) return this.#delimited(rest.subarray(0, bare.length), tokens)
    }
    const at = rest.indexOf(this.#delimiter)
    const end = at < 0 ? this.#certain(rest) : at
    this.#preambleBytes += end
    if (this.#preambleBytes > this.#limits.preambleBytesMax) throw malformed('no part begins where one should')
    if (end > 0) tokens.push({ kind: 'frame', bytes: rest.subarray(0, end) })
    return at < 0 ? end : end + this.#delimited(rest.subarray(at, at + this.#delimiter.length), tokens)
  }

  #delimited(bytes: Buffer, tokens: MultipartToken[]): number {
    this.#state = 'delimiter'
    tokens.push({ kind: 'frame', bytes })
    return bytes.length
  }

  #afterDelimiter(rest: Buffer, tokens: MultipartToken[]): number {
    if (rest.length < 2) return 0
    if (rest[0] === 0x2d && rest[1] === 0x2d) {
      this.#state = 'epilogue'
      tokens.push({ kind: 'frame', bytes: rest.subarray(0, 2) })
      return 2
    }
    this.#parts += 1
    if (this.#parts > this.#limits.partsMax) throw malformed(`it has more than ${this.#limits.partsMax} parts`)
    this.#state = 'head'
    return this.#head(rest, tokens)
  }

  /** The rest of the delimiter's line, which may only be blank, and the fields up to the empty line. */
  #head(rest: Buffer, tokens: MultipartToken[]): number {
    const end = rest.indexOf(headEnd)
    if ((end < 0 ? rest.length : end) > this.#limits.headBytesMax) throw malformed('the head of a part is too long')
    if (end < 0) return 0
    const bytes = rest.subarray(0, end + headEnd.length)
    tokens.push({ kind: 'head', bytes, head: parseHead(bytes.toString('utf8')) })
    this.#state = 'data'
    return bytes.length
  }

  #data(rest: Buffer, tokens: MultipartToken[]): number {
    const at = rest.indexOf(this.#delimiter)
    const end = at < 0 ? this.#certain(rest) : at
    if (end > 0) tokens.push({ kind: 'data', bytes: rest.subarray(0, end) })
    if (at < 0) return end
    this.#state = 'delimiter'
    tokens.push({ kind: 'end', bytes: rest.subarray(at, at + this.#delimiter.length) })
    return at + this.#delimiter.length
  }

  /** How many of these bytes, which hold no whole delimiter, cannot be the beginning of one either. */
  #certain(rest: Buffer): number {
    let from = Math.max(0, rest.length - this.#delimiter.length + 1)
    for (from = rest.indexOf(0x0d, from); from >= 0; from = rest.indexOf(0x0d, from + 1)) {
      const tail = rest.subarray(from)
      if (tail.equals(this.#delimiter.subarray(0, tail.length))) return from
    }
    return rest.length
  }
}

/**
 * The parts of a form in the order in which they come. Throws 400 for a body that is not well formed,
 * and whatever reading the body throws.
 */
export async function* parseMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits = usualMultipartLimits,
): AsyncGenerator<MultipartPart, void> {
  const tokens = scan(body, new MultipartScanner(boundary, limits))
  for (let next = await tokens.next(); next.done !== true; next = await tokens.next()) {
    if (next.value.kind !== 'head') continue
    const content = contentOf(tokens)
    yield { ...next.value.head, content }
    // What the consumer has left of it.
    for await (const _ of content);
  }
}

/** The content of a part as one buffer, or null when it is longer than `bytesMax`. */
export async function readPart(part: MultipartPart, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = []
  let total = 0
  for await (const piece of part.content) {
    total += piece.byteLength
    if (total > bytesMax) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function* scan(body: AsyncIterable<Uint8Array>, scanner: MultipartScanner): AsyncGenerator<MultipartToken, void> {
  for await (const bytes of body) yield* scanner.push(bytes)
  scanner.end()
}

/** An iterator that leaving early does not close, for the tokens after this part are still wanted. */
function contentOf(tokens: AsyncGenerator<MultipartToken, void>): AsyncIterable<Uint8Array> {
  let over = false
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const token = over ? undefined : (await tokens.next()).value
    if (token?.kind === 'data') return { done: false, value: token.bytes }
    over = true
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

function parseHead(text: string): PartHead {
  const [padding = '', ...lines] = text.slice(0, -headEnd.length).split('\r\n')
  if (padding.trim() !== '') throw malformed('a delimiter is followed by something else')
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    // Obsolete folding and repeated fields are read differently by different servers.
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (colon < 1 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || fields.has(name) || /[\0-\x08\n-\x1f\x7f]/.test(line))
      throw malformed('a part has a field that cannot be read')
    fields.set(name, line.slice(colon + 1).trim())
  }
  const disposition = fields.get('content-disposition') ?? ''
  const name = formData.test(disposition) ? parameter(disposition, 'name') : null
  if (name === null) throw malformed('a part has no name')
  if (isAmbiguous(disposition) || name.includes('\\'))
    throw malformed('a part has a name that servers read differently')
  return { name, fileName: parameter(disposition, 'filename'), contentType: fields.get('content-type') ?? null }
}

/** Two names, or one in the extended notation that RFC 7578 section 4.2 forbids: what is checked here must be what counts elsewhere. */
function isAmbiguous(disposition: string): boolean {
  const names = [...disposition.matchAll(parameters)].map((match) => match[1]?.toLowerCase())
  return new Set(names).size < names.length || names.includes('name*')
}

/** A parameter of a field value, quoted or not. Browsers write a quote inside quotes as %22, others as \". */
function parameter(value: string, name: string): string | null {
  for (const match of value.matchAll(parameters)) {
    if (match[1]?.toLowerCase() !== name) continue
    return match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? match[3] ?? ''
  }
  return null
}

function malformed(why: string): ApiError {
  return new ApiError('invalid_multipart', { message: `The multipart body cannot be read: ${why}.` })
}
