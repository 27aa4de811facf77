/** Packs the words of documents that an earlier version stored, beside everything else and never more than half of the time. */
import { pause } from '#lib/loop.ts'
import type { Logger } from '#observe/log.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'

/** Packs all there is, until the signal is aborted. A process that ends leaves the rest to the next. */
export async function packWords(
  store: Pick<DocumentStore, 'packWords'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let chunks = 0
  while (!signal.aborted) {
    const began = performance.now()
    const some = await store.packWords()
    if (some === 0) break
    if (chunks === 0) logger.info('words of stored documents are packed for searches; it goes on beside them')
    chunks += some
    await pause(performance.now() - began, signal)
  }
  if (chunks > 0 && !signal.aborted) logger.info('words of stored documents are packed', { chunks })
}
