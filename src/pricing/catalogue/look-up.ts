/** Asks the vendors' price catalogue, on a thread that ends with the answer and gives its memory back. */
import { Worker } from 'node:worker_threads'
import { ownScript } from '#lib/own-scripts.ts'
import type { CatalogueEntry, CatalogueQuestion } from './catalogue-job.ts'

const longestMs = 60_000

/** The entries of these models, in their order; null for what the catalogue does not have. Rejects when it cannot be read. */
export async function lookUp(questions: readonly CatalogueQuestion[]): Promise<readonly (CatalogueEntry | null)[]> {
  if (questions.length === 0) return []
  const worker = new Worker(ownScript('pricing/catalogue/catalogue-worker.ts'), { workerData: questions })
  const answered = Promise.withResolvers<readonly (CatalogueEntry | null)[]>()
  const timer = setTimeout(() => answered.reject(new Error('the price catalogue did not answer in time')), longestMs)
  worker.on('message', (entries: readonly (CatalogueEntry | null)[]) => answered.resolve(entries))
  worker.on('error', (failure) => answered.reject(failure))
  worker.on('exit', () => answered.reject(new Error('the thread of the price catalogue has ended')))
  try {
    return await answered.promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
