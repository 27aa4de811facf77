/**
 * Letters for fonts that do not say which letters they show.
 *
 * Some programs embed a font without that table; PDFium then returns the numbers of the glyphs as if they were
 * characters. The common TrueType fonts begin with the same glyphs in the same order: a few special ones, ASCII from the
 * space on, and then the upper half of Mac Roman without its second space. Whether a page's fonts do is judged by the
 * page: spaces and letters have to come as often as they do in running text.
 */

const firstAscii = 3
const firstUpperHalf = 98
/** Where Mac Roman has the space that does not break, which these fonts do not draw. */
const secondSpace = 172
const glyphCount = 225

/** Code that PDFium answers → code point. */
export const lettersOfGlyphs: ReadonlyMap<number, number> = new Map(
  Array.from({ length: glyphCount - firstAscii }, (_, offset) => {
    const glyph = offset + firstAscii
    const byte = glyph + (glyph < firstUpperHalf ? 29 : glyph < secondSpace ? 30 : 31)
    return [glyph, new TextDecoder('macintosh').decode(Uint8Array.of(byte)).codePointAt(0) ?? 0]
  }),
)

const fewestCodes = 20

/** Whether these codes of one page are glyph numbers in the usual order. */
export function mayHideLetters(codes: readonly number[]): boolean {
  if (codes.length < fewestCodes) return false
  let spaces = 0
  let lowerCase = 0
  for (const code of codes) {
    if (code === firstAscii) spaces += 1
    // a to z
    else if (code >= 68 && code <= 93) lowerCase += 1
  }
  const share = spaces / codes.length
  return share > 0.04 && share < 0.35 && lowerCase > 0.4 * codes.length
}
