/**
 * A multipart request on its way to an upstream. Only the field `model` is read, and the field `n` as it passes; every
 * other byte goes out unchanged, when the upstream has room for it, and stays in memory no longer than that.
 *
 * The bytes before `model` stay in memory until the upstream is known, up to the limit of a body, so
 * clients that write `model` first cost no memory. The first megabyte of what follows is kept, too, so
 * that another upstream can be tried while no more than that has been read.
 */
import { Buffer } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import { BodyReader } from '#http/body-reader.ts'
import type { RequestContext } from '#http/request-context.ts'
import { multipartBoundary, MultipartScanner, type MultipartToken } from '#http/multipart.ts'
import type { BodyStream } from '#lib/http1/request.ts'
import { invalidBody } from './fields.ts'

const keptBytesMax = 1024 * 1024
/** Smaller pieces are joined: a client may send single bytes, and each piece costs as much as hundreds of bytes. */
const smallBytes = 512
const blockBytes = 1024
const modelBytesMax = 1024
/** Longer counts are the provider's to refuse. */
const countDigitsMax = 6

export class FormBody implements Disposable {
  /** Written by the gateway, because a header with two boundaries is read differently by different servers. */
  readonly contentType: string
  readonly #body: BodyReader
  readonly #scanner: MultipartScanner
  /** In order; what the active pass has sent is dropped once the body is too large to be kept. */
  #pieces: Buffer[] = []
  #piecesBytes = 0
  /** Where small pieces are collected; the last of the pieces is what it holds so far. */
  #block: Buffer | null = null
  /** The value of `model`, one of the pieces; each upstream gets its own name of the model instead. */
  #model: Buffer | null = null
  /** The beginning of the value of `n`, while and after it passes. */
  #count: { text: string; isPassing: boolean } | null = null
  #kept = true
  #reading: Promise<boolean> | null = null
  #active: Pass | null = null

  private constructor(body: BodyReader, boundary: string) {
    this.#body = body
    this.#scanner = new MultipartScanner(boundary)
    this.contentType = `multipart/form-data; boundary="${boundary.replaceAll(/["\\]/g, '\\$&')}"`
  }

  /** Reads up to the end of `model`. Answers 400, 408, 413 or 415 by throwing. */
  static async open(context: RequestContext, limits: BodyLimits): Promise<FormBody> {
    const boundary = multipartBoundary(context.request.headers.get('content-type'))
    if (boundary === null) {
      const message = 'This endpoint takes a form. Send "Content-Type: multipart/form-data" with its boundary.'
      throw new ApiError('unsupported_media_type', { message })
    }
    const form = new FormBody(new BodyReader(context, limits), boundary)
    try {
      await form.#readModel()
    } catch (thrown) {
      form[Symbol.dispose]()
      throw thrown
    }
    return form
  }

  /** As the client wrote it. */
  get model(): string {
    return this.#model?.toString('utf8') ?? ''
  }

  /** What the form asks for so far: the value of `n`, 1 without one. */
  get count(): number {
    const { text = '' } = this.#count ?? {}
    return text.length <= countDigitsMax && /^[1-9]\d*$/.test(text) ? Number(text) : 1
  }

  get bytesRead(): number {
    return this.#body.bytesRead
  }

  /** Nothing of the body has been dropped, so it can be sent from its beginning. */
  get repeatable(): boolean {
    return this.#kept
  }

  /** The whole body for one upstream. Ends the previous pass; only while the body is repeatable. */
  pass(upstreamName: string): BodyStream {
    const model = Buffer.from(upstreamName)
    const { length } = this.#body
    const pass: Pass = {
      length: length === null ? null : length - (this.#model?.length ?? 0) + model.length,
      read: async () => {
        const piece = await this.#next(pass)
        return piece === this.#model ? model : piece
      },
      at: 0,
      offset: 0,
    }
    this.#active = pass
    return pass
  }

  /** The rest is not read. */
  [Symbol.dispose](): void {
    this.#active = null
    this.#pieces = []
    this.#body.cancel()
  }

  async #next(pass: Pass): Promise<Buffer | null> {
    for (;;) {
      const piece = this.#pieces[pass.at]
      if (piece !== undefined && pass.offset < piece.length) {
        const rest = pass.offset === 0 ? piece : piece.subarray(pass.offset)
        pass.offset = piece.length
        return rest
      }
      if (pass.at < this.#pieces.length - 1) {
        pass.at += 1
        pass.offset = 0
        continue
      }
      this.#reading ??= this.#readOn()
      const more = await this.#reading
      // An upstream that has been given up must not take the bytes of the next one.
      if (pass !== this.#active || !more) return null
    }
  }

  /** Reads more pieces; false at the end of the body. */
  async #readOn(): Promise<boolean> {
    try {
      const bytes = await this.#body.read()
      if (bytes === null) {
        this.#scanner.end()
        return false
      }
      if (this.#piecesBytes + bytes.byteLength > keptBytesMax) this.#drop()
      const tokens = this.#scanner.push(bytes)
      for (const token of tokens) {
        refuseSecondModel(token)
        this.#watchCount(token)
      }
      const [only] = tokens
      this.#append(tokens.length === 1 && only ? only.bytes : Buffer.concat(tokens.map((token) => token.bytes)))
      return true
    } finally {
      this.#reading = null
    }
  }

  /** Everything so far has been sent. */
  #drop(): void {
    this.#kept = false
    this.#pieces = []
    this.#piecesBytes = 0
    this.#block = null
    if (this.#active !== null) {
      this.#active.at = 0
      this.#active.offset = 0
    }
  }

  #append(bytes: Buffer): void {
    this.#piecesBytes += bytes.length
    if (bytes.length >= smallBytes) return this.#add(bytes, null)
    const filled = this.#block === null ? 0 : (this.#pieces.at(-1)?.length ?? 0)
    if (this.#block !== null && filled + bytes.length <= blockBytes) {
      bytes.copy(this.#block, filled)
      // What a pass has read of it stays where it is.
      this.#pieces[this.#pieces.length - 1] = this.#block.subarray(0, filled + bytes.length)
      return
    }
    const block = Buffer.allocUnsafeSlow(blockBytes)
    bytes.copy(block)
    this.#add(block.subarray(0, bytes.length), block)
  }

  #add(piece: Buffer, block: Buffer | null): void {
    this.#pieces.push(piece)
    this.#block = block
  }

  #watchCount(token: MultipartToken): void {
    if (token.kind === 'head' && token.head.name === 'n' && token.head.fileName === null)
      this.#count = { text: '', isPassing: true }
    else if (this.#count?.isPassing !== true) return
    else if (token.kind === 'data')
      this.#count.text = (this.#count.text + token.bytes.toString('latin1')).slice(0, countDigitsMax + 1)
    else this.#count.isPassing = false
  }

  async #readModel(): Promise<void> {
    let value: Buffer[] | null = null
    while (this.#model === null) {
      const bytes = await this.#body.readToKeep()
      if (bytes === null) {
        this.#scanner.end()
        throw new ApiError('missing_model', { param: 'model' })
      }
      for (const token of this.#scanner.push(bytes)) value = this.#takeUntilModel(token, value)
    }
  }

  /** @returns the pieces of the value of `model` while inside it */
  #takeUntilModel(token: MultipartToken, value: Buffer[] | null): Buffer[] | null {
    this.#watchCount(token)
    if (this.#model !== null) {
      refuseSecondModel(token)
      this.#append(token.bytes)
      return null
    }
    if (value === null) {
      this.#append(token.bytes)
      if (token.kind !== 'head' || token.head.name !== 'model') return null
      if (token.head.fileName !== null) throw invalidBody('model', '"model" must be a plain field, not a file.')
      return []
    }
    if (token.kind === 'data') {
      value.push(token.bytes)
      refuseLong(value)
      return value
    }
    this.#model = modelOf(value)
    // A piece of its own, however small: each upstream gets another name in its place.
    this.#piecesBytes += this.#model.length
    this.#add(this.#model, null)
    this.#append(token.bytes)
    return null
  }
}

/** Servers differ in which of two fields they take, so a second one could get around the access check. */
function refuseSecondModel(token: MultipartToken): void {
  if (token.kind === 'head' && token.head.name === 'model')
    throw invalidBody('model', '"model" is written more than once.')
}

/** One sending of the body to one upstream. */
interface Pass extends BodyStream {
  /** Index of the piece that is sent now. */
  at: number
  /** Bytes of it that were sent. */
  offset: number
}

function modelOf(value: readonly Buffer[]): Buffer {
  const model = Buffer.concat(value)
  if (model.length === 0) throw new ApiError('missing_model', { param: 'model' })
  return model
}

/** Checked while the value comes, so that no more of it stays in memory. */
function refuseLong(value: readonly Buffer[]): void {
  const bytes = value.reduce((sum, piece) => sum + piece.length, 0)
  if (bytes > modelBytesMax) throw invalidBody('model', '"model" is longer than any name.')
}
