/** The lines that a batch has written so far, as the bytes of a file. */
import type { BatchStore } from '#store/batches/batches.ts'
import type { StoredFile } from '#store/batches/files.ts'

const lineEnd = Buffer.from('\n')

/** The name of an output says which batch writes it, and which kind of lines: `<batch>_output.jsonl`. */
export function outputName(batchId: string, isError: boolean): string {
  return `${batchId}_${isError ? 'error' : 'output'}.jsonl`
}

/** A piece at a time, in the order of the input. */
export async function* resultPieces(
  batches: Pick<BatchStore, 'results'>,
  { name }: Pick<StoredFile, 'name'>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const isError = name.endsWith('_error.jsonl')
  const batchId = name.slice(0, name.lastIndexOf('_'))
  for (let after = 0; ;) {
    const results = await batches.results(batchId, isError, after)
    const last = results.at(-1)
    if (last === undefined) return
    yield Buffer.concat(results.flatMap(({ bytes }) => [bytes, lineEnd]))
    after = last.line
  }
}
