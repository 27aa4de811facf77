/** Cuts a text at a passage. Offsets of the server count code points; those of JavaScript's strings do not. */

/** What is before the passage, the passage, and what is after it. Offsets outside of the text are brought to its edges. */
export function markedParts(text: string, start: number, end: number): readonly [string, string, string] {
  const from = indexOf(text, Math.max(0, start), 0)
  const to = indexOf(text, Math.max(0, end - Math.max(0, start)), from)
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

/** The index that is a number of code points after another index. */
function indexOf(text: string, codePoints: number, from: number): number {
  let at = from
  for (let count = 0; count < codePoints && at < text.length; count += 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}
