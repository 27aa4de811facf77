/** Packet lines of Git's protocol (https://git-scm.com/docs/protocol-common#_pkt_line_format): four hexadecimal digits of length, then content. */
import { SourceFailure } from '../../web/source-failure.ts'

/** The content of a line; the special lines are those without one. */
export type Packet = Buffer | 'flush' | 'delimiter' | 'end'

const specials: Readonly<Record<string, Packet>> = { '0000': 'flush', '0001': 'delimiter', '0002': 'end' }
const headBytes = 4
/** What side bands are for (https://git-scm.com/docs/protocol-v2#_fetch). */
const band = { data: 1, error: 3 } as const

export const flushPacket = '0000'
export const delimiterPacket = '0001'

export function packet(line: string): string {
  const text = `${line}\n`
  return (Buffer.byteLength(text) + headBytes).toString(16).padStart(headBytes, '0') + text
}

/** Each line as soon as it is complete. Rejects with SourceFailure for what is not of this form. */
export async function* packetsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Packet, void> {
  let rest = Buffer.alloc(0)
  for await (const piece of pieces) {
    rest = rest.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
    let at = 0
    while (rest.byteLength - at >= headBytes) {
      const head = rest.toString('latin1', at, at + headBytes)
      const special = specials[head]
      const length = special === undefined ? lengthOf(head) : headBytes
      if (rest.byteLength - at < length) break
      yield special ?? rest.subarray(at + headBytes, at + length)
      at += length
    }
    rest = rest.subarray(at)
  }
  if (rest.byteLength > 0) throw malformed()
}

/** A line of text, without its end. Throws SourceFailure when it is an error of the server. */
export function lineOf(line: Packet): string {
  const text = typeof line === 'string' ? '' : line.toString('utf8').replace(/\n$/, '')
  if (text.startsWith('ERR ')) throw refused(text.slice('ERR '.length))
  return text
}

/** The pack in an answer to `fetch`, piece by piece. */
export async function* packOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let isPack = false
  for await (const line of packetsOf(pieces)) {
    if (!isPack) isPack = lineOf(line) === 'packfile'
    else if (typeof line !== 'string' && line[0] === band.data) yield line.subarray(1)
    else if (typeof line !== 'string' && line[0] === band.error) throw refused(line.toString('utf8', 1))
  }
  if (!isPack) throw malformed()
}

export function malformed(): SourceFailure {
  return new SourceFailure('The server did not answer as a Git server does.')
}

function lengthOf(head: string): number {
  const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : 0
  if (length <= headBytes) throw malformed()
  return length
}

/** What the server says, as one line. */
function refused(reason: string): SourceFailure {
  const said = reason
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return new SourceFailure(`The Git server refused: ${said}.`)
}
