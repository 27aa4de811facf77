/**
 * The built-in embedder: needs no model, no network and hardly any time. A text becomes a vector of
 * the words, word pairs and parts of words that stand in it (lexical-features.ts), each hashed to a
 * place and a sign (feature hashing, Weinberger et al., ICML 2009) and counted with damping. The
 * same text has the same vector on every machine and in every release that keeps `version`.
 */
import type { Embedder, EmbedRequest } from './embedder.ts'
import { FeatureCounts } from './hashing/feature-counts.ts'
import { countFeatures } from './hashing/lexical-features.ts'

const dimensions = 384
/** Part of the space's key: raised whenever vectors of the same text change. */
const version = 1
/** Characters after which other work of the process gets its turn: a few milliseconds. */
const yieldAfter = 16 * 1024

/** Key of the space of its vectors. */
export const hashingSpaceKey = `hashing/${dimensions}/${version}`

export const hashingEmbedder: Embedder = {
  name: 'hashing',
  batchMax: 256,
  warning:
    'The built-in embedder matches words and parts of words, not meanings: a question finds passages that say it in the same words. For search by meaning set "embedder" of the import, or the setting documents.embedder, to an embedding model of GET /ai/v1/models, and import the documents again.',
  async embed({ texts, signal }: EmbedRequest) {
    const vectors: Float32Array[] = []
    let since = 0
    for (const text of texts) {
      since += text.length
      if (since > yieldAfter) {
        since = 0
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      signal.throwIfAborted()
      vectors.push(vectorOf(text))
    }
    return vectors
  },
}

const counts = new FeatureCounts()

function vectorOf(text: string): Float32Array {
  counts.clear()
  countFeatures(text, (feature, weight) => counts.add(feature, weight))
  const vector = new Float32Array(dimensions)
  let squares = 0
  counts.forEach((feature, weight, count) => {
    // A word that comes ten times says more than one that comes once, but not ten times more.
    const value = weight * (1 + Math.log(count))
    const at = Math.floor(((feature >>> 1) / 0x8000_0000) * dimensions)
    vector[at] = (vector[at] ?? 0) + ((feature & 1) === 0 ? value : -value)
  })
  for (const value of vector) squares += value * value
  if (squares === 0) {
    // An empty text, or one whose features cancel out: a direction of its own, near to nothing else.
    vector[dimensions - 1] = 1
    return vector
  }
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}
