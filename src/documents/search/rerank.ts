/**
 * The second stage of a search: a model reads the question with each passage that was found, and says how well they fit.
 * It is asked for its opinion, not needed: what goes wrong is a warning, and the order of the search stays.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Documents } from '../documents.ts'
import { askedModel, opinionOf } from './asked-model.ts'
import type { SearchHit } from './search-hit.ts'

/** What a request says: with which model, of how many passages. */
export interface RerankRequest {
  /** Null = that of the settings. */
  readonly model: string | null
  readonly candidates: number
}

/** What is done. */
export interface RerankPlan {
  /** Canonical name of a model that the caller may use. */
  readonly model: string
  readonly candidates: number
}

/** Passages that are read when the request does not say. */
export const usualCandidates = 50
/** Rerank models read some thousand tokens of a passage; what is behind them costs and changes little. */
const passageCharactersMax = 8000

const rerankAnswer = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})

/**
 * Which model reranks the hits of a search; null for none. Left out, it is that of the settings, for callers who may use it;
 * answers 422 or 403 for one that is asked for and cannot be.
 */
export function planRerank(
  { settings, models }: Documents,
  caller: Caller,
  asked: RerankRequest | null | undefined,
): RerankPlan | null {
  if (asked === null) return null
  const usual = settings.get('documents.rerank_model')
  if (asked === undefined)
    return usual !== null && models.mayUse(usual, caller) ? { model: usual, candidates: usualCandidates } : null
  const model = asked.model ?? usual
  if (model !== null) return { model: askedModel(models, model, caller, 'rerank.model'), candidates: asked.candidates }
  throw new ApiError('validation_failed', {
    param: 'rerank',
    message: '"rerank": no model is set for this. Name one in "rerank.model", or set documents.rerank_model.',
  })
}

export interface Reranking {
  readonly caller: Caller
  readonly text: string
  readonly plan: RerankPlan
  readonly signal: AbortSignal
}

/** The hits in the order of the model, those that it left out behind them. Rejects only with the reason of `signal`. */
export async function reranked(
  documents: Documents,
  { caller, text, plan, signal }: Reranking,
  hits: readonly SearchHit[],
  warnings: string[],
): Promise<readonly SearchHit[]> {
  if (hits.length < 2) return hits
  const body = {
    model: plan.model,
    query: text,
    documents: hits.map(({ chunk }) => chunk.text.slice(0, passageCharactersMax).toWellFormed()),
  }
  const failed = (why: string): readonly SearchHit[] => {
    warnings.push(`The passages were not reranked: ${why}`)
    return hits
  }
  const opinion = await opinionOf(documents, plan.model, signal, (ended) =>
    documents.models.rerank({ caller, purpose: 'realtime', body, signal: ended }),
  )
  if ('failure' in opinion) return failed(opinion.failure)
  const scores = scoresOf(opinion.answer, hits.length)
  return scores === null ? failed(`the answer of ${plan.model} is not one of a rerank model.`) : inOrder(hits, scores)
}

/** The score of each passage by its place; null for an answer that cannot be meant. */
function scoresOf(answer: unknown, count: number): ReadonlyMap<number, number> | null {
  const parsed = rerankAnswer.safeParse(answer)
  if (!parsed.success) return null
  const { results } = parsed.data
  const scores = new Map(results.map(({ index, relevance_score: score }) => [index, score] as const))
  const isSound = scores.size === results.length && results.every(({ index }) => index < count)
  return isSound && scores.size > 0 ? scores : null
}

function inOrder(hits: readonly SearchHit[], scores: ReadonlyMap<number, number>): readonly SearchHit[] {
  const places = [...scores].sort(([a, one], [b, other]) => other - one || a - b)
  const ordered = places.flatMap(([place, score], at): SearchHit[] => {
    const hit = hits[place]
    return hit === undefined ? [] : [{ ...hit, score, rerank: { score, rank: at + 1 } }]
  })
  return [...ordered, ...hits.filter((_, place) => !scores.has(place)).map((hit) => ({ ...hit, score: 0 }))]
}
