/** What is embedded of a chunk: its text, led by what a reader of the page would know of its place. */
import type { ChunkRecord } from '../reading/chunk-record.ts'

/** The limit for title and headings together, which must not outweigh the text. */
const placeCharactersMax = 300

/** The document's title, the headings above the chunk and the header of its table, then the text. */
export function embeddedText(
  chunk: Pick<ChunkRecord, 'text' | 'headingPath' | 'tableHeader'>,
  title: string | null,
): string {
  const { text, headingPath, tableHeader } = chunk
  const [first] = headingPath
  const place = [...(title === null || title === first ? [] : [title]), ...headingPath].join(' > ')
  const lead = place === '' ? '' : `${place.slice(0, placeCharactersMax)}\n\n`
  return `${lead}${tableHeader === null ? '' : `${tableHeader}\n`}${text}`
}
