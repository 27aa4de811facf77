/**
 * The last step of a batch: its results become files, and only then has it ended. Lines that a cancelled or expired
 * batch has not done get a result that says so, so that every line is in one of the files, once.
 */
import type { ClaimedJob } from '#store/batches/batch-jobs.ts'
import type { FinishedFile, LineResult } from '#store/batches/batch-results.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { Batches } from '../batches.ts'
import { resultPieces } from '../files/result-pieces.ts'
import { readLine } from '../lines/batch-line.ts'
import { inputLines, type InputLine } from '../lines/input-lines.ts'
import { undoneCode, undoneResult } from '../lines/line-result.ts'
import type { InputFiles } from './input-files.ts'
import { filesLifeMs, outputsOf } from './validate-batch.ts'

const settledTogether = 200

/** Rejects with LeaseLost when another worker has taken over. */
export async function finishBatch(batches: Batches, inputs: InputFiles, job: ClaimedJob): Promise<void> {
  const { batch, lease } = job
  const { store, now } = batches
  if (batch.outcome !== null && batch.total > batch.completed + batch.failed) await settle(batches, inputs, job)
  const files = (await store.find(batch.id)) ?? batch
  const output = await storeResults(batches, batch, files.outputFileId)
  const errors = await storeResults(batches, batch, files.errorFileId)
  await store.finish(lease, { output, errors }, await now())
}

async function settle(batches: Batches, inputs: InputFiles, job: ClaimedJob): Promise<void> {
  const input = await batches.files.files.find(job.batch.inputFileId)
  if (input === null) return
  // It was stopped before its lines became jobs.
  if (job.batch.outputFileId === null) await batches.store.addOutputs(job.lease, outputsOf(job.batch))
  using file = await inputs.open(input)
  let some: InputLine[] = []
  for await (const line of inputLines(file.blob, Number.MAX_SAFE_INTEGER)) {
    some.push(line)
    if (some.length < settledTogether) continue
    await settleSome(batches, job, some)
    some = []
  }
  if (some.length > 0) await settleSome(batches, job, some)
}

async function settleSome({ store, now }: Batches, job: ClaimedJob, lines: readonly InputLine[]): Promise<void> {
  const { batch, lease } = job
  const done = new Set(await store.done(batch.id, lines[0]?.line ?? 0, (lines.at(-1)?.line ?? 0) + 1))
  const results = lines.flatMap(({ line, bytes }): LineResult[] =>
    done.has(line) || bytes === null
      ? []
      : [
          {
            line,
            error: undoneCode(batch),
            isUndone: true,
            cost: null,
            text: undoneResult(batch, readLine(bytes).customId),
          },
        ],
  )
  await store.write(lease, results, false, await now())
}

/** Writes one of the files; null when it has no lines. */
async function storeResults(batches: Batches, batch: Batch, fileId: string | null): Promise<FinishedFile> {
  const { files, store } = batches
  const file = fileId === null ? null : await files.files.find(fileId)
  if (file === null) return null
  const received = await files.spool.receive(resultPieces(store, file), Number.MAX_SAFE_INTEGER)
  try {
    if (received.bytes === 0) return null
    // Until the row names them, these bytes look abandoned.
    using _held = await files.blobUse.hold([file.blobId])
    await files.blobs.put([{ ...received, id: file.blobId }])
    const { sha256, bytes } = received
    const expiresAt = (await batches.now()) + filesLifeMs(batches, batch)
    return { sha256, bytes, expiresAt, place: await files.place() }
  } finally {
    await files.spool.discard(received)
  }
}
