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
  /** Bound on the head of one part. */
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
/** One parameter of a field value. No two neighbours in it match the same character, so it never goes back far. */
const parameter = /\s*;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/y

/** The boundary of a `multipart/form-data` content type; null for any other type or without a valid one. */
export function multipartBoundary(contentType: string | null): string | null {
  const boundary = parametersOf(contentType ?? '', 'multipart/form-data')?.find(([name]) => name === 'boundary')?.[1]
  return boundary !== undefined && /^[\x20-\x7e]{1,70}$/.test(boundary) && !boundary.endsWith(' ') ? boundary : null
}

export class MultipartScanner {
  readonly #delimiter: Buffer
  readonly #limits: MultipartLimits
  #state: 'preamble' | 'delimiter' | 'head' | 'data' | 'epilogue' = 'preamble'
  /** Bytes that are not certain yet. */
  #held: Buffer = nothing
  /** Where they are kept once more have come, with room: so single bytes cost no copy of all before them. */
  #memory: Buffer = nothing
  /** Bytes of it, from its beginning, that hold no end of a head. */
  #searched = 0
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

  /** What is certain with these bytes. Throws 400 for what is not a multipart body or passes a limit. */
  push(bytes: Uint8Array): readonly MultipartToken[] {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const whole = this.#held.length === 0 ? piece : this.#joined(piece)
    let rest = whole
    const tokens: MultipartToken[] = []
    while (rest.length > 0) {
      const taken = this.#step(rest, tokens)
      if (taken === 0) break
      rest = rest.subarray(taken)
      this.#searched = 0
    }
    // A copy: what is held must not keep a large piece in memory, nor change with it.
    const isKept = rest === whole && this.#held.length > 0
    this.#held = isKept ? rest : rest.length === 0 ? nothing : Buffer.from(rest)
    if (!isKept) this.#memory = nothing
    return tokens
  }

  #joined(piece: Buffer): Buffer {
    const length = this.#held.length + piece.length
    if (this.#memory.length < length) {
      this.#memory = Buffer.allocUnsafeSlow(length * 2)
      this.#memory.set(this.#held)
    }
    this.#memory.set(piece, this.#held.length)
    return this.#memory.subarray(0, length)
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
    const end = rest.indexOf(headEnd, Math.max(0, this.#searched - headEnd.length + 1))
    this.#searched = rest.length
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
  const fields = fieldsOf(text)
  const disposition = parametersOf(fields.get('content-disposition') ?? '', 'form-data')
  const byName = new Map(disposition)
  const name = byName.get('name')
  if (disposition === null || name === undefined) throw malformed('a part has no name')
  // Two names, or one in the extended notation that RFC 7578 section 4.2 forbids: what is checked here must be
  // what counts elsewhere.
  if (byName.size < disposition.length || byName.has('name*') || name.includes('\\'))
    throw malformed('a part has a name that servers read differently')
  return { name, fileName: byName.get('filename') ?? null, contentType: fields.get('content-type') ?? null }
}

function fieldsOf(head: string): ReadonlyMap<string, string> {
  const [padding = '', ...lines] = head.slice(0, -headEnd.length).split('\r\n')
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
  return fields
}

/**
 * The parameters of a field value of this type, their names in lower case; null for any other value. Browsers write a
 * quote inside quotes as %22, others as \".
 */
function parametersOf(value: string, type: string): readonly (readonly [name: string, value: string])[] | null {
  if (value.slice(0, type.length).toLowerCase() !== type) return null
  const found: [string, string][] = []
  let end = type.length
  for (;;) {
    parameter.lastIndex = end
    const match = parameter.exec(value)
    if (match === null) break
    const [whole, name = '', quoted, bare = ''] = match
    found.push([name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? bare])
    end += whole.length
  }
  const rest = value.slice(end).trim()
  return rest === '' || rest === ';' ? found : null
}

function malformed(why: string): ApiError {
  return new ApiError('invalid_multipart', { message: `The multipart body cannot be read: ${why}.` })
}
