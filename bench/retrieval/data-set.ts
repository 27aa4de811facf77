/**
 * A data set in the layout of BEIR (https://github.com/beir-cellar/beir): `corpus.jsonl`, `queries.jsonl` and
 * `qrels/test.tsv` in a folder.
 */
import { join } from 'node:path'

export interface Passage {
  readonly id: string
  readonly text: string
}

export interface DataSet {
  readonly passages: readonly Passage[]
  /** Questions with the passages that answer them and how well. */
  readonly questions: readonly { readonly text: string; readonly relevant: ReadonlyMap<string, number> }[]
}

/** The data set in this folder; questions without a relevant passage are left out. */
export async function readDataSet(folder: string): Promise<DataSet> {
  const lines = async (name: string): Promise<readonly string[]> =>
    (await Bun.file(join(folder, name)).text()).split('\n').filter((line) => line !== '')
  const objects = async (name: string) =>
    (await lines(name)).map((line) => JSON.parse(line) as { _id: string; title?: string; text: string })
  const relevant = new Map<string, Map<string, number>>()
  for (const line of (await lines('qrels/test.tsv')).slice(1)) {
    const [question = '', passage = '', grade = '0'] = line.split('\t')
    if (Number(grade) > 0) relevant.getOrInsertComputed(question, () => new Map()).set(passage, Number(grade))
  }
  return {
    passages: (await objects('corpus.jsonl')).map(({ _id: id, title = '', text }) => ({
      id,
      text: `${title} ${text}`.trim(),
    })),
    questions: (await objects('queries.jsonl')).flatMap(({ _id: id, text }) => {
      const answers = relevant.get(id)
      return answers === undefined ? [] : [{ text, relevant: answers }]
    }),
  }
}

/** nDCG at ten (Järvelin and Kekäläinen, TOIS 2002), as trec_eval counts it. */
export function ndcgAt10(found: readonly string[], relevant: ReadonlyMap<string, number>): number {
  const gain = (grades: readonly number[]): number =>
    grades.slice(0, 10).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)
  return gain(found.map((id) => relevant.get(id) ?? 0)) / gain([...relevant.values()].sort((a, b) => b - a))
}
