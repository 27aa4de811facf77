/** A form with one file (RFC 7578), which is read while it is sent. */
import type { BodyStream } from '#lib/http1/request.ts'

export interface FileToSend {
  readonly path: string
  readonly bytes: number
  /** Shown to the reader, which may look at its ending. */
  readonly name: string
  readonly mediaType: string
}

export interface FormToSend {
  readonly fields: Readonly<Record<string, string>>
  /** The name of the file's field. */
  readonly fileField: string
  readonly file: FileToSend
}

export interface SentForm {
  readonly contentType: string
  readonly body: BodyStream
}

export function formStream({ fields, fileField, file }: FormToSend): SentForm {
  const boundary = `sluice-${crypto.randomUUID()}`
  const start = (disposition: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`
  const head = [
    ...Object.entries(fields).map(([name, value]) => `${start(`name="${name}"`)}${value}\r\n`),
    start(`name="${fileField}"; filename="${quotable(file.name)}"`, `Content-Type: ${file.mediaType}\r\n`),
  ]
  const body = streamOf(Buffer.from(head.join('')), file, Buffer.from(`\r\n--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

/** The file as it is. */
export function fileStream(file: FileToSend): BodyStream {
  return streamOf(null, file, null)
}

function streamOf(before: Buffer | null, { path, bytes }: FileToSend, after: Buffer | null): BodyStream {
  const pieces = piecesAround(before, path, after)
  return {
    length: (before?.byteLength ?? 0) + bytes + (after?.byteLength ?? 0),
    read: async () => (await pieces.next()).value ?? null,
  }
}

async function* piecesAround(
  before: Buffer | null,
  path: string,
  after: Buffer | null,
): AsyncGenerator<Uint8Array, undefined> {
  if (before !== null) yield before
  yield* Bun.file(path).stream()
  if (after !== null) yield after
  return undefined
}

/** As browsers write names of files: a quote or a line end would end the field. */
function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll(/[\r\n]/g, ' ')
}
