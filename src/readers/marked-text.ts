/**
 * What surrounds the text of a document, marked in the same words in all formats, so that a person and a model see
 * that it is not the text itself. What each format has of it is in docs/formats.md.
 */

/** A comment and who made it, on which cell; empty when nothing was said. */
export function commentText(
  text: string,
  { author = '', on = '' }: { readonly author?: string; readonly on?: string } = {},
): string {
  const said = text.trim()
  const who = author.trim()
  return said === '' ? '' : `(Comment${on === '' ? '' : ` on ${on}`}${who === '' ? '' : ` by ${who}`}: ${said})`
}

/** What the speaker noted for a slide; empty when that is nothing. */
export function speakerNotes(text: string): string {
  return text.trim() === '' ? '' : `Speaker notes: ${text.trim()}`
}

export const hiddenSlide = '(This slide is hidden in the presentation.)'

/** A line with the number of its page has fewer words of its own. */
const fewestWords = 3

/** The heads and feet of the pages of one document, each text once however many pages and sections have it. */
export class PageEdges {
  readonly #given = new Set<string>()

  /** The marked text; empty when it was given before, or is only a page number. `isCounted`: a page number is among it. */
  mark(edge: 'header' | 'footer' | 'header or footer', text: string, isCounted: boolean): string {
    const line = text
      .replace(/_{3,}|\s+/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim()
    const words = line.match(/\p{L}[\p{L}\p{N}.'’-]*/gu)?.length ?? 0
    if (words < (isCounted ? fewestWords : 1) || this.#given.has(line)) return ''
    this.#given.add(line)
    return `(Page ${edge}: ${line})`
  }
}
