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

function afterCodePoints(text: string, count: number): string {
  let at = 0
  for (let left = count; left > 0 && at < text.length; left -= 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return text.slice(at)
}
