/** Long texts are encoded in windows, so that no step of the work is long. */

/** UTF-16 units. */
export const windowChars = 16_384

/**
 * The end of the window that begins here. It is a place where the encoder parts words in any case, so that the cut
 * changes no count; in a run of more than a window without such a place it is the window's size, which can add a token.
 */
export function windowEnd(text: string, start: number): number {
  const limit = start + windowChars
  if (limit >= text.length) return text.length
  const window = text.slice(start, limit)
  for (let space = window.lastIndexOf(' '); space > 0; space = window.lastIndexOf(' ', space - 1))
    if (/^[\p{L}\p{N}] \p{L}/u.test(text.slice(start + space - 1, start + space + 3))) return start + space
  const insidePair = (text.charCodeAt(limit) & 0xfc00) === 0xdc00
  return insidePair ? limit - 1 : limit
}
