/** The thread of hashing-embedder.ts. */
import { parentPort } from 'node:worker_threads'
import { serveJobs } from '#store/threads/job-worker.ts'
import { dimensions, hashedVector } from './hashed-vector.ts'

/** Gives the vectors of these texts, one behind the other. */
type Embed = (texts: readonly string[]) => Promise<Float32Array>

/** What the thread does, by what the texts are for. Both are the same work; questions do not wait for passages. */
export interface HashingJobs {
  readonly passage: Embed
  readonly query: Embed
}

const embed: Embed = async (texts) => {
  const all = new Float32Array(texts.length * dimensions)
  for (const [at, text] of texts.entries()) all.set(hashedVector(text), at * dimensions)
  return all
}
const jobs: HashingJobs = { passage: embed, query: embed }

if (parentPort !== null) serveJobs(parentPort, () => ({ jobs, close: async () => undefined }))
