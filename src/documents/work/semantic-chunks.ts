/**
 * The second phase of the semantic chunker: passages are embedded, and neighbours that are about the
 * same become one chunk. Passages are looked at some at a time; the last group of each batch waits for
 * what follows it, so that a batch's end is not a boundary.
 */
import { joinPassages, semanticGroups, type SemanticOptions } from '#chunkers/semantic.ts'
import type { ChunkRecord } from '../reading/chunk-record.ts'

export type EmbedPassages = (passages: readonly ChunkRecord[]) => Promise<readonly Float32Array[]>

interface Passage {
  readonly record: ChunkRecord
  readonly vector: Float32Array
}

/** Chunks in order; with the passages' own cover the text as they do. */
export async function* semanticChunks(
  batches: AsyncIterable<readonly ChunkRecord[]>,
  embed: EmbedPassages,
  options: SemanticOptions,
): AsyncGenerator<readonly ChunkRecord[], void> {
  let waiting: readonly Passage[] = []
  for await (const batch of batches) {
    const vectors = await embed(batch)
    const passages = batch.flatMap((record, index) => {
      const vector = vectors[index]
      return vector === undefined ? [] : [{ record, vector }]
    })
    const all = [...waiting, ...passages]
    const groups = groupsOf(all, options)
    const last = groups.at(-1)
    const whole = groups.slice(0, -1)
    waiting = last === undefined ? [] : all.slice(last.from, last.to)
    if (whole.length > 0) yield whole.map(({ from, to }) => joined(all.slice(from, to)))
  }
  if (waiting.length > 0) yield groupsOf(waiting, options).map(({ from, to }) => joined(waiting.slice(from, to)))
}

function groupsOf(passages: readonly Passage[], options: SemanticOptions) {
  return semanticGroups(
    passages.map(({ record }) => record),
    passages.map(({ vector }) => vector),
    options,
  )
}

function joined(passages: readonly Passage[]): ChunkRecord {
  return joinPassages(passages.map(({ record }) => record))
}
