/**
 * Where server-sent events end, in bytes. A line ends with LF, CR LF or CR; an event ends with an
 * empty line (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 * All of these are ASCII, so a boundary never falls inside a character.
 */

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Offset after the last complete event of the buffer, 0 when there is none. */
export function lastEventEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1) {
    const byte = bytes[at]
    if ((byte === lineFeed || byte === carriageReturn) && endsEvent(bytes, at)) return at + 1
  }
  return 0
}

/** Offset after the first event that ends at or after `from`, 0 when none does. */
export function nextEventEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte !== lineFeed && byte !== carriageReturn) continue
    if (at === from || !endsEvent(bytes, at)) continue
    // The empty line may be CR LF: the LF belongs to the same event.
    return byte === carriageReturn && bytes[at + 1] === lineFeed ? at + 2 : at + 1
  }
  return 0
}

/** Whether the line end at `at` closes an empty line. */
function endsEvent(bytes: Uint8Array, at: number): boolean {
  const lineStart = bytes[at] === lineFeed && bytes[at - 1] === carriageReturn ? at - 1 : at
  const before = bytes[lineStart - 1]
  return before === lineFeed || before === carriageReturn
}

/**
 * The payload of an event that has exactly one `data` line, as offsets into the bytes; null for
 * comments, other fields only, and data over several lines.
 */
export function singleDataSpan(event: Uint8Array): { readonly start: number; readonly end: number } | null {
  let span: { start: number; end: number } | null = null
  let lineStart = 0
  for (let at = 0; at <= event.length; at += 1) {
    const byte = event[at]
    if (at < event.length && byte !== lineFeed && byte !== carriageReturn) continue
    if (isDataLine(event, lineStart, at)) {
      if (span !== null) return null
      const start = lineStart + 5
      span = { start: event[start] === 0x20 ? start + 1 : start, end: at }
    }
    lineStart = at + 1
  }
  return span
}

function isDataLine(event: Uint8Array, start: number, end: number): boolean {
  return (
    end - start >= 5 &&
    event[start] === 0x64 &&
    event[start + 1] === 0x61 &&
    event[start + 2] === 0x74 &&
    event[start + 3] === 0x61 &&
    event[start + 4] === 0x3a
  )
}
