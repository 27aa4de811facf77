/** The chunks that a reading process has written, some at a time. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import type { ChunkRecord } from '../reading/chunk-record.ts'
import { chunksFile } from '../reading/protocol.ts'

const batchMax = 256
const batchCharactersMax = 512 * 1024

/** In order; the file is read as far as it is asked for. */
export async function* chunkBatches(directory: string): AsyncGenerator<readonly ChunkRecord[], void> {
  let batch: ChunkRecord[] = []
  let characters = 0
  const lines = createInterface({ input: createReadStream(join(directory, chunksFile)), crlfDelay: Infinity })
  for await (const line of lines) {
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
