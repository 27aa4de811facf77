/** UTF-16 positions, which this runtime counts in, to code points, which everybody else counts in. */

const blockShift = 10
const surrogate = /[\ud800-\udfff]/

/** The code point index of any UTF-16 offset of the text. The text is walked once, a question costs a short walk. */
export function codePointIndex(text: string): (offset: number) => number {
  if (!surrogate.test(text)) return (offset) => offset
  // Low surrogates before each block of 1,024: the offset of each is not the start of a code point.
  const before = new Uint32Array((text.length >> blockShift) + 1)
  let lows = 0
  for (let offset = 0; offset <= text.length; offset++) {
    if ((offset & ((1 << blockShift) - 1)) === 0) before[offset >> blockShift] = lows
    if (isPairEnd(text, offset)) lows += 1
  }
  return (offset) => {
    const block = offset >> blockShift
    let count = before[block] ?? 0
    for (let index = block << blockShift; index < offset; index++) if (isPairEnd(text, index)) count += 1
    return offset - count
  }
}

/** Number of code points; a surrogate alone is one. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 1; index < text.length; index++) if (isPairEnd(text, index)) length -= 1
  return length
}

function isPairEnd(text: string, offset: number): boolean {
  if ((text.charCodeAt(offset) & 0xfc00) !== 0xdc00) return false
  return (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800
}
