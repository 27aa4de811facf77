/**
 * A multipart form that is sent: fields, and one file of which a stretch is read as the receiver takes it, so that a
 * large recording is never in memory as a whole. (RFC 7578.)
 */

/** What is sent of a file on the disk. */
export interface FormFile {
  readonly path: string
  readonly start: number
  readonly end: number
  /** Bytes before the stretch. */
  readonly head: Uint8Array
  /** As the receiver sees it; it tells the type by the ending. */
  readonly name: string
  readonly mediaType: string
}

const pieceBytes = 262_144

export class OutgoingForm {
  readonly contentType: string
  /** Length of the whole body. */
  readonly bytes: number
  readonly #before: Uint8Array
  readonly #after: Uint8Array
  readonly #file: FormFile

  /** The fields come before the file, in their order; their values may be anything, for nobody can guess the boundary. */
  constructor(fields: readonly (readonly [string, string])[], file: FormFile) {
    const boundary = `sluice-${crypto.randomUUID()}`
    const disposition = (name: string): string => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`
    const texts = fields.map(([name, value]) => `${disposition(name)}\r\n\r\n${value}\r\n`)
    const start = `${disposition('file')}; filename="${file.name}"\r\ncontent-type: ${file.mediaType}\r\n\r\n`
    this.contentType = `multipart/form-data; boundary=${boundary}`
    this.#before = Buffer.concat([Buffer.from([...texts, start].join('')), file.head])
    this.#after = Buffer.from(`\r\n--${boundary}--\r\n`)
    this.#file = file
    this.bytes = this.#before.length + (file.end - file.start) + this.#after.length
  }

  /** The body, once. */
  stream(): ReadableStream<Uint8Array> {
    const { path, start, end } = this.#file
    let at = start
    let state: 'before' | 'file' | 'ended' = 'before'
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (state === 'before') {
          state = 'file'
          controller.enqueue(this.#before)
        } else if (state === 'file' && at < end) {
          const next = Math.min(at + pieceBytes, end)
          const piece = await Bun.file(path).slice(at, next).bytes()
          // A file that has become shorter must not look like a whole one.
          if (piece.length !== next - at) throw new Error('The file has changed while it was sent.')
          controller.enqueue(piece)
          at = next
        } else {
          state = 'ended'
          controller.enqueue(this.#after)
          controller.close()
        }
      },
    })
  }
}
