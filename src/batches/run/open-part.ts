/** The lines of a part that have no result yet. */
import type { ClaimedJob } from '#store/batches/batch-jobs.ts'
import type { Batches } from '../batches.ts'
import { readLine, type BatchLine } from '../lines/batch-line.ts'
import { linesOfPart } from '../lines/input-lines.ts'
import type { InputFiles } from './input-files.ts'

export interface OpenLine {
  /** Its number in the file, from 1. */
  readonly line: number
  readonly request: BatchLine
}

/** Rejects with BlobMissing where the file cannot be read. */
export async function openPart(batches: Batches, inputs: InputFiles, job: ClaimedJob): Promise<readonly OpenLine[]> {
  const { batch, firstLine, position, bytes, nativeModel } = job
  const input = await batches.files.files.find(batch.inputFileId)
  if (input === null) throw new Error('the input file of a running batch is gone')
  using file = await inputs.open(input)
  const content = Buffer.from(await file.blob.slice(position, position + bytes).arrayBuffer())
  const lines = linesOfPart(content, firstLine)
  const done = new Set(await batches.store.done(batch.id, firstLine, (lines.at(-1)?.line ?? 0) + 1))
  const others = new Set(batch.nativeModels)
  const isOfPart = ({ model }: BatchLine): boolean =>
    nativeModel === null ? !others.has(model) : model === nativeModel
  return lines.flatMap(({ line, bytes: text }) => {
    if (done.has(line) || text === null) return []
    const request = readLine(text)
    return isOfPart(request) ? [{ line, request }] : []
  })
}
