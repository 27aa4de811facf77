/**
 * The built-in embedder: needs no model, no network and hardly any time. A text becomes a vector of
 * the words, word pairs and parts of words that stand in it (lexical-features.ts), each hashed to a
 * place and a sign (feature hashing, Weinberger et al., ICML 2009) and counted with damping. The
 * same text has the same vector on every machine and in every release that keeps `version`.
 */
import { ownScript } from '#lib/own-scripts.ts'
import { JobThread } from '#store/threads/job-thread.ts'
import { EmbedFailure, type Embedder, type EmbedRequest } from './embedder.ts'
import { dimensions, hashedVector } from './hashing/hashed-vector.ts'
import type { HashingJobs } from './hashing/hashing-thread.ts'

/** Part of the space's key: raised whenever vectors of the same text change. */
const version = 1
/** So many characters are embedded at once, in less time than the thread would take to answer: a question, as a rule. */
const hereMax = 2048
/** So many characters go to the thread at once, which takes some milliseconds: a question waits for no more than one such job. */
const jobMax = 131_072

/** Key of the space of its vectors. */
export const hashingSpaceKey = `hashing/${dimensions}/${version}`

/** Texts of documents are embedded on a thread of its own, which the first of them starts. */
export class HashingEmbedder implements Embedder, AsyncDisposable {
  readonly name = 'hashing'
  readonly batchMax = 256
  readonly warning =
    'The built-in embedder matches words and parts of words, not meanings: a question finds passages that say it in the same words. For search by meaning set "embedder" of the import, or the setting documents.embedder, to an embedding model of GET /ai/v1/models, and import the documents again.'
  readonly #thread = new JobThread<HashingJobs>({
    script: ownScript('documents/embedders/hashing/hashing-thread.ts'),
    data: null,
    whenIdle: 'keep',
    form: 'objects',
    urgent: 'query',
  })

  /** Rejects with EmbedFailure when the thread breaks down, or with the signal's reason once it is aborted. */
  async embed({ texts, purpose, signal }: EmbedRequest): Promise<readonly Float32Array[]> {
    signal.throwIfAborted()
    if (texts.reduce((sum, text) => sum + text.length, 0) <= hereMax) return texts.map(hashedVector)
    const vectors: Float32Array[] = []
    for (const some of slices(texts)) {
      const all = await this.#thread.run(purpose, some).catch((cause: unknown) => {
        throw new EmbedFailure('embedder_failed', 'The built-in embedder broke down.', { retryable: true, cause })
      })
      signal.throwIfAborted()
      for (const at of some.keys()) vectors.push(all.subarray(at * dimensions, (at + 1) * dimensions))
    }
    return vectors
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread.close()
  }
}

/** The texts in order, in groups of up to `jobMax` characters, or of one longer text. */
function* slices(texts: readonly string[]): Generator<readonly string[]> {
  let [slice, length]: [string[], number] = [[], 0]
  for (const text of texts) {
    if (slice.length > 0 && length + text.length > jobMax) {
      yield slice
      ;[slice, length] = [[], 0]
    }
    slice.push(text)
    length += text.length
  }
  yield slice
}
