/** What searches are compared with: every passage scored, by plain BM25 and by the cosine, and both fused by their ranks. */
import { foldedWords } from '#store/documents/indexing/words.ts'

const [k1, b] = [1.2, 0.75]

/** Numbers of all passages with one of the words, the best first. */
export function exactWords(texts: readonly string[], language: string): (question: string) => readonly number[] {
  const counts = texts.map((text) => {
    const words = foldedWords(text, language)
    return { length: words.length, words: Map.groupBy(words, (word) => word) }
  })
  const mean = counts.reduce((sum, { length }) => sum + length, 0) / counts.length
  const having = new Map<string, number>()
  for (const { words } of counts) for (const word of words.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  return (question) => {
    const asked = [...new Set(foldedWords(question, language))]
    const score = ({ length, words }: (typeof counts)[number]): number => {
      let sum = 0
      for (const word of asked) {
        const times = words.get(word)?.length ?? 0
        const rows = having.get(word) ?? 0
        const idf = Math.log(1 + (counts.length - rows + 0.5) / (rows + 0.5))
        sum += (idf * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / mean))
      }
      return sum
    }
    return bestOf(counts.map(score))
      .filter(({ score: its }) => its > 0)
      .map(({ at }) => at)
  }
}

/** Numbers of all vectors, the nearest first; they are of unit length. */
export function exactVectors(vectors: readonly Float32Array[], asked: Float32Array): readonly number[] {
  return bestOf(vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0))).map(
    ({ at }) => at,
  )
}

function bestOf(scores: readonly number[]): readonly { readonly at: number; readonly score: number }[] {
  return scores.map((score, at) => ({ at, score })).sort((x, y) => y.score - x.score || x.at - y.at)
}
