/** The thread that reads the vendors' price catalogue: one list of questions, one list of answers. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CatalogueQuestion } from './catalogue-job.ts'
import { readEntry } from './read-entry.ts'

parentPort?.postMessage((workerData as readonly CatalogueQuestion[]).map(readEntry))
