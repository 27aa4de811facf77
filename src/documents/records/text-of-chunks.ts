/** Chunks of a document as one running text. */
import type { ChunkOnWire } from '../records/document-record.ts'

/** Neighbours may overlap: what two have in common is there once. Between parts of which something is missing is an empty line. */
export function textOfChunks(chunks: readonly Pick<ChunkOnWire, 'start' | 'end' | 'text'>[]): string {
  let text = ''
  let end: number | null = null
  for (const chunk of chunks) {
    if (end === null) text = chunk.text
    else if (chunk.start > end) text += `\n\n${chunk.text}`
    else text += afterCodePoints(chunk.text, end - chunk.start)
    end = Math.max(end ?? 0, chunk.end)
  }
  return text
}

/** The part of this text between two offsets in code points, of which `chunks` hold the first at least. */
export function sliceOfChunks(
  chunks: readonly Pick<ChunkOnWire, 'start' | 'end' | 'text'>[],
  { start, end }: { readonly start: number; readonly end: number },
): string {
  const [first] = chunks
  if (first === undefined) return ''
  const text = afterCodePoints(textOfChunks(chunks), start - first.start)
  return text.slice(0, unitsOf(text, end - start))
}

function afterCodePoints(text: string, count: number): string {
  return text.slice(unitsOf(text, count))
}

/** UTF-16 units of so many code points. */
function unitsOf(text: string, codePoints: number): number {
  let at = 0
  for (let left = codePoints; left > 0 && at < text.length; left -= 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}
