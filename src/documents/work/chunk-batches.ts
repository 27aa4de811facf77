/** The chunks that a reading process has written, some at a time. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import type { ChunkRecord } from '../reading/chunk-record.ts'
import { chunksFile } from '../reading/protocol.ts'

/** A file of this size is read at once, which costs a small document a tenth of what a stream does. */
const wholeBytesMax = 1_048_576
const batchMax = 256
const batchCharactersMax = 512 * 1024

/** The chunks in order. The file is read no further than the consumer has got. */
export async function* chunkBatches(directory: string): AsyncGenerator<readonly ChunkRecord[], void> {
  let batch: ChunkRecord[] = []
  let characters = 0
  for await (const line of linesOf(join(directory, chunksFile))) {
    if (line === '') continue
    const chunk = JSON.parse(line) as ChunkRecord
    batch.push(chunk)
    characters += chunk.text.length
    if (batch.length < batchMax && characters < batchCharactersMax) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file = Bun.file(path)
  if (file.size <= wholeBytesMax) yield* (await file.text()).split('\n')
  else yield* createInterface({ input: createReadStream(path), crlfDelay: Infinity })
}
