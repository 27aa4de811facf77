/**
 * What every embedder must do, whatever is behind it. An embedder passes by calling
 * `embedderContract` in its own test file.
 */
import { describe, expect, test } from 'bun:test'
import { checkVectors } from '#documents/embedders/check-vectors.ts'
import type { Embedder } from '#documents/embedders/embedder.ts'

export interface EmbedderSubject extends AsyncDisposable {
  readonly embedder: Embedder
}

const texts = [
  'The cat sat on the mat.',
  'Quarterly revenue rose by 12 %.',
  '東京は日本の首都です。',
  'Größe',
  '— * —',
  '',
]

const cases: Readonly<Record<string, (embedder: Embedder) => Promise<void>>> = {
  'gives one usable vector for each text, all of one dimension': async (embedder) => {
    const vectors = await embed(embedder, texts)
    expect(checkVectors(vectors, { count: texts.length, dimensions: null })).toHaveLength(texts.length)
  },

  'gives the same vector for the same text, whatever stands beside it': async (embedder) => {
    const [alone] = await embed(embedder, ['the same text'])
    const [, among] = await embed(embedder, ['another', 'the same text', 'a third'])
    expect(cosine(alone!, among!)).toBeCloseTo(1, 4)
  },

  'keeps the order of more texts than one call takes': async (embedder) => {
    const many = Array.from({ length: embedder.batchMax + 3 }, (_, at) => `text number ${at}`)
    const vectors = await embed(embedder, many)
    const [last] = await embed(embedder, [many.at(-1)!])
    expect(vectors).toHaveLength(many.length)
    expect(cosine(vectors.at(-1)!, last!)).toBeCloseTo(1, 4)
  },

  'takes a text of 100,000 characters': async (embedder) => {
    expect(await embed(embedder, ['many words and more '.repeat(5000)])).toHaveLength(1)
  },

  'takes questions in the same space': async (embedder) => {
    const [passage] = await embed(embedder, ['a passage'])
    const signal = new AbortController().signal
    const [question] = await embedder.embed({ texts: ['a question?'], purpose: 'query', signal })
    expect(question).toHaveLength(passage!.length)
  },

  'gives nothing for nothing': async (embedder) => {
    expect(await embed(embedder, [])).toEqual([])
  },

  'rejects with the reason of a signal that is aborted': async (embedder) => {
    const reason = new Error('no longer wanted')
    const call = embedder.embed({ texts: ['a'], purpose: 'passage', signal: AbortSignal.abort(reason) })
    expect(await call.catch((thrown: unknown) => thrown)).toBe(reason)
  },
}

/** Runs every case with an embedder of its own. */
export function embedderContract(name: string, open: () => Promise<EmbedderSubject>): void {
  describe(`the embedder ${name}`, () => {
    for (const [title, run] of Object.entries(cases)) {
      test(title, async () => {
        await using subject = await open()
        await run(subject.embedder)
      })
    }
  })
}

/** Vectors of passages. */
export function embed(embedder: Embedder, passages: readonly string[]): Promise<readonly Float32Array[]> {
  return embedder.embed({ texts: passages, purpose: 'passage', signal: new AbortController().signal })
}

/** How near two vectors are: 1 for the same direction. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0
    product += value * other
    squaresA += value * value
    squaresB += other * other
  }
  return product / Math.sqrt(squaresA * squaresB)
}
