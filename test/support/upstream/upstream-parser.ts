/**
 * HTTP/1.1 requests out of a byte stream, as small as a test server can have it: bodies with a
 * content-length or chunked, pipelining, header names in the case they were sent in. Trailers are
 * dropped. Anything else is an error, because the gateway under test must not send it.
 */

export interface ParsedRequest {
  readonly method: string
  /** Path and query as they stood in the request line. */
  readonly target: string
  /** Names and values in the order and the case received. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

interface Body {
  readonly bytes: Uint8Array
  /** Offset of the first byte after the body. */
  readonly end: number
}

/** Collects bytes and gives back each request once it is complete; throws on what is not HTTP/1.1. */
export class RequestParser {
  #buffer = Buffer.alloc(4096)
  #length = 0

  /** Takes the next bytes of the connection; returns the requests that they completed. */
  push(bytes: Uint8Array): readonly ParsedRequest[] {
    this.#append(bytes)
    const complete: ParsedRequest[] = []
    for (;;) {
      const held = this.#buffer.subarray(0, this.#length)
      const parsed = parseRequest(held)
      if (parsed === null) return complete
      complete.push(parsed.request)
      held.copyWithin(0, parsed.end)
      this.#length -= parsed.end
    }
  }

  #append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#buffer.length) {
      const larger = Buffer.alloc(2 * (this.#length + bytes.length))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }
}

function parseRequest(held: Buffer): { request: ParsedRequest; end: number } | null {
  const headEnd = held.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [requestLine = '', ...lines] = held.toString('latin1', 0, headEnd).split('\r\n')
  const words = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(requestLine)
  if (words === null) throw new Error(`not an HTTP/1.1 request line: ${JSON.stringify(requestLine)}`)
  const headers = lines.map(parseHeader)
  const body = parseBody(held, headEnd + 4, headers)
  if (body === null) return null
  const request = { method: words[1] ?? '', target: words[2] ?? '', headers, body: Uint8Array.from(body.bytes) }
  return { request, end: body.end }
}

function parseHeader(line: string): readonly [string, string] {
  const parts = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line)
  if (parts === null) throw new Error(`not a header line: ${JSON.stringify(line)}`)
  return [parts[1] ?? '', parts[2] ?? '']
}

function parseBody(held: Buffer, start: number, headers: ParsedRequest['headers']): Body | null {
  const lengths = valuesOf(headers, 'content-length')
  const encodings = valuesOf(headers, 'transfer-encoding')
  // Two framings in one request are how requests are smuggled.
  if (lengths.length + encodings.length > 1) throw new Error('the body is framed twice')
  if (encodings.length > 0) {
    if (encodings[0]?.toLowerCase() !== 'chunked') throw new Error(`unknown transfer-encoding: ${encodings[0]}`)
    return parseChunked(held, start)
  }
  const length = lengths[0] ?? '0'
  if (!/^\d+$/.test(length)) throw new Error(`not a content-length: ${length}`)
  const end = start + Number(length)
  return end <= held.length ? { bytes: held.subarray(start, end), end } : null
}

function parseChunked(held: Buffer, start: number): Body | null {
  const chunks: Uint8Array[] = []
  for (let at = start; ;) {
    const lineEnd = held.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const sizeText = held.toString('latin1', at, lineEnd).split(';')[0] ?? ''
    if (!/^[0-9a-fA-F]+$/.test(sizeText)) throw new Error(`not a chunk size: ${JSON.stringify(sizeText)}`)
    const size = Number.parseInt(sizeText, 16)
    if (size === 0) return endOfChunks(held, lineEnd, chunks)
    const chunkEnd = lineEnd + 2 + size
    if (chunkEnd + 2 > held.length) return null
    chunks.push(held.subarray(lineEnd + 2, chunkEnd))
    at = chunkEnd + 2
  }
}

/** `lineEnd` is where the line of the last chunk's size ends; an empty line, or trailers and one, follow. */
function endOfChunks(held: Buffer, lineEnd: number, chunks: readonly Uint8Array[]): Body | null {
  const blankLine = held.indexOf('\r\n\r\n', lineEnd)
  return blankLine === -1 ? null : { bytes: Buffer.concat(chunks), end: blankLine + 4 }
}

function valuesOf(headers: ParsedRequest['headers'], name: string): readonly string[] {
  return headers.filter((header) => header[0].toLowerCase() === name).map((header) => header[1])
}
