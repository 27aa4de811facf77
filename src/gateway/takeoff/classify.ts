/**
 * The Takeoff client's `classify` with pairs of a query and a document, which is a rerank for each query: the queries of
 * a request, and the scores in the order of its pairs.
 * Source: takeoff-client 0.7 on PyPI.
 */
import { z } from '#lib/schema.ts'
import { rerankAnswer } from '#dialects/cohere/rerank-answer.ts'
import { ApiError } from '#errors/api-error.ts'
import { group } from './group-body.ts'

const pair = z.array(z.string()).length(2, 'expected a pair of a query and a document')

export const classifyBody = z
  .object({
    text: z
      .array(pair, 'expected pairs of a query and a document: single texts are not classified here')
      .min(1)
      .describe('Pairs of a query and a document'),
    consumer_group: group.describe('A consumer group, or a rerank model or its alias; null = classify'),
  })
  .meta({ id: 'ClassifyRequest' })
export const classifyAnswer = z
  .object({ result: z.array(z.array(z.number())).describe('One score for each pair, in their order') })
  .meta({ id: 'ClassifyAnswer' })

/** A query with its documents, and where their pairs stand in the request. */
export interface Query {
  readonly query: string
  readonly documents: string[]
  readonly places: number[]
}

/** The queries of a request in the order in which they come first. Answers 422 when there are too many. */
export function queriesOf(pairs: readonly (readonly string[])[], queriesMax: number): readonly Query[] {
  const queries = new Map<string, Query>()
  for (const [place, [query = '', document = '']] of pairs.entries()) {
    let known = queries.get(query)
    if (known === undefined) {
      if (queries.size === queriesMax) throw tooMany(place, queriesMax)
      queries.set(query, (known = { query, documents: [], places: [] }))
    }
    known.documents.push(document)
    known.places.push(place)
  }
  return [...queries.values()]
}

function tooMany(place: number, queriesMax: number): ApiError {
  return new ApiError('validation_failed', {
    param: `text.${place}.0`,
    message: `"text.${place}.0": expected at most ${queriesMax} different queries in one request. Send several requests.`,
  })
}

/** The scores of one query's documents, in their order; null when the value is not that of a reranker, or lacks one. */
export function scoresOf(value: unknown, { documents }: Query): readonly number[] | null {
  const scores = new Map(rerankAnswer(value, 'classify')?.results.map((each) => [each.index, each.relevance_score]))
  const ordered = documents.flatMap((_, at) => scores.get(at) ?? [])
  return ordered.length === documents.length ? ordered : null
}
