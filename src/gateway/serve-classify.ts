/**
 * POST /classify: a rerank for each query of the request, several of them at once. They are one request: one record, one
 * in-flight slot, one answer. A call that fails ends the others.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { toApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { eachOf } from '#lib/each-of.ts'
import { withEndpoint } from './admission/with-endpoint.ts'
import type { Gateway } from './gateway.ts'
import { madeOf } from './relay/relay-as.ts'
import { readCounted } from './relay/relay-whole.ts'
import { rankingsSize } from './request/request-size.ts'
import { bodyLimits } from './serve-model-call.ts'
import { Session, type SessionAnswer } from './session.ts'
import { classifyBody, queriesOf, scoresOf, type Query } from './takeoff/classify.ts'
import { readGroupBody } from './takeoff/group-body.ts'
import { readInputUsage, sumUsage } from './usage/token-usage.ts'

/** A score for each pair of the request, in its place. Throws the ApiError to answer; every call has ended by then. */
export async function serveClassify(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  using session = new Session(gateway, context, caller, 'rerank')
  try {
    const limits = bodyLimits(gateway, caller, session.resources)
    const { body, length } = await readGroupBody(context, limits, classifyBody) // 400, 408, 413, 415, 422
    session.record.requestBytes = length
    const queries = queriesOf(body.text, gateway.settings.get('generation.max_batch')) // 422
    const routed = session.resolve(body.consumer_group ?? 'classify') // 403, 404, 503
    const model = withEndpoint(gateway.providers, routed, 'rerank') // 404
    const texts = queries.map(({ query, documents }) => JSON.stringify({ query, documents }))
    const prompts = { texts, hasImage: false, newTokens: 0 }
    const allowed = await session.admit(model, prompts, rankingsSize(queries)) // 400, 402, 429, 503
    const scores = await scoresOfAll(gateway, session, { model: allowed, queries, texts }) // 4xx of the upstream, 502, 503, 504
    return respond(context, session, inPlaces(queries, scores))
  } catch (thrown) {
    const error = toApiError(thrown)
    session.record.fail(error)
    throw error
  }
}

interface Reranks {
  readonly model: Model
  readonly queries: readonly Query[]
  /** The body of each query without the model. */
  readonly texts: readonly string[]
}

/** The scores of each query. Throws the failure of the first call that fails, when all calls have ended. */
async function scoresOfAll(
  gateway: Gateway,
  session: Session,
  reranks: Reranks,
): Promise<readonly (readonly number[])[]> {
  const { model, queries, texts } = reranks
  const scores: (readonly number[])[] = []
  const together = Math.min(queries.length, gateway.settings.get('generation.request_concurrency'))
  await eachOf(queries.entries(), together, async ([at, query]) => {
    try {
      scores[at] = await session.call({
        model,
        request: (upstream) => ({ endpoint: 'rerank', body: bodyFor(upstream, texts[at] ?? '{}') }),
        open: (answer) => readScores(gateway, session, answer, query),
        whole: true,
      })
    } catch (thrown) {
      const error = toApiError(thrown)
      session.end(error)
      throw error
    }
  })
  return scores
}

function bodyFor({ upstreamName }: Upstream, text: string) {
  const model = `{"model":${JSON.stringify(upstreamName)},`
  return { contentType: 'application/json', parts: [Buffer.from(model), Buffer.from(text.slice(1))] }
}

async function readScores(
  gateway: Gateway,
  { record }: Session,
  { reply, watch, idleSeconds }: SessionAnswer,
  query: Query,
): Promise<readonly number[]> {
  const responseBytesMax = gateway.settings.get('gateway.max_response_bytes')
  const { body, usage } = await readCounted(reply, { watch, record, idleSeconds, responseBytesMax }, readInputUsage)
  if (usage !== null) record.usage = sumUsage(record.usage, usage)
  return madeOf(body, { of: 'a reranker', made: (value) => scoresOf(value, query) })
}

function inPlaces(queries: readonly Query[], scores: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const result: (readonly number[])[] = []
  for (const [at, { places }] of queries.entries()) {
    for (const [index, place] of places.entries()) result[place] = [scores[at]?.[index] ?? 0]
  }
  return result
}

function respond(context: RequestContext, { record }: Session, result: readonly (readonly number[])[]): Response {
  const bytes = Buffer.from(JSON.stringify({ result }))
  record.responseBytes = bytes.length
  record.content?.answer(bytes)
  return context.respond(bytes, { status: 200, headers: { 'content-type': 'application/json' } })
}
