/** The thread of hashing-embedder.ts. */
import { parentPort } from 'node:worker_threads'
import { serveJobs } from '#store/threads/job-worker.ts'
import { dimensions, hashedVector } from './hashed-vector.ts'

/** What the thread does. */
export interface HashingJobs {
  /** The vectors of these texts, one behind the other. */
  readonly vectors: (texts: readonly string[]) => Promise<Float32Array>
}

const jobs: HashingJobs = {
  async vectors(texts) {
    const all = new Float32Array(texts.length * dimensions)
    for (const [at, text] of texts.entries()) all.set(hashedVector(text), at * dimensions)
    return all
  },
}

if (parentPort !== null) serveJobs(parentPort, () => ({ jobs, close: async () => undefined }))
