/**
 * The calls of the Takeoff client that come down to another endpoint: `embed`, in the form of old clients and of new ones,
 * and `classify` with pairs of a query and a document, which is a rerank.
 * Source: takeoff-client 0.4 and 0.7 on PyPI.
 */
import { z } from 'zod'
import { rerankAnswer } from '#dialects/cohere/rerank-answer.ts'
import { ApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { validBody } from '#http/validate.ts'
import { passedJsonLimits } from '#lib/bounded-json.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { modelOfGroup } from '../admission/resolve-group.ts'
import { vectorsInOrder } from '../embeddings/embedding-split.ts'
import { embeddings } from '../endpoints/embeddings.ts'
import type { ModelCall } from '../endpoints/model-call.ts'
import { rerank } from '../endpoints/rerank.ts'
import { relayAs } from '../relay/relay-as.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { requestOf, type ModelRequest } from '../request/model-request.ts'
import { readInputUsage } from '../usage/token-usage.ts'

type Settings = Pick<LiveSettings, 'get'>

/** A call for one request, and the group that it named, once it has been read. */
export interface GroupCall {
  readonly call: ModelCall
  readonly group: () => string
}

const group = z.string().min(1).nullish()

export const embedBody = z
  .object({
    text: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    consumer_group: group.describe('A consumer group, or a model or alias; null = primary'),
  })
  .meta({ id: 'EmbedRequest' })
export const embedAnswer = z.object({ result: z.array(z.array(z.number())) }).meta({ id: 'EmbedAnswer' })

/** POST /embed: `{"text", "consumer_group"}`, answered with `{"result": [[…]]}`. */
export function embedCall(settings: Settings): GroupCall {
  let asked = ''
  const call: ModelCall = {
    ...embeddings,
    async read(context, limits) {
      const body = await bodyOf(context, limits, embedBody)
      asked = body.consumer_group ?? 'primary'
      return requestFor({ model: modelOfGroup(settings, asked), input: body.text })
    },
    relay: (reply, relay) => relayWhole(reply, relay, readInputUsage, vectorsOnly),
  }
  return { call, group: () => asked }
}

/** The vectors as the provider wrote them; nothing is parsed. */
function vectorsOnly(body: Buffer): Buffer<ArrayBuffer> {
  const vectors = vectorsInOrder(body)
  if (vectors === null)
    throw new ApiError('upstream_invalid_response', {
      message: "The provider's answer is not that of an embedding model.",
    })
  const pieces = vectors.flatMap((vector, at) => (at === 0 ? [vector] : [Buffer.from(','), vector]))
  return Buffer.concat([Buffer.from('{"result":['), ...pieces, Buffer.from(']}')])
}

/** POST /v1/embeddings: OpenAI's form, in which `model` is a consumer group. */
export function groupEmbeddings(settings: Settings): ModelCall {
  return {
    ...embeddings,
    async read(context, limits) {
      const request = await embeddings.read(context, limits)
      return { ...request, model: modelOfGroup(settings, request.model) }
    },
  }
}

const pair = z.array(z.string()).length(2, 'expected a pair of a query and a document')

export const classifyBody = z
  .object({
    text: z
      .array(pair, 'expected pairs of a query and a document: single texts are not classified here')
      .min(1)
      .describe('Pairs of a query and a document; the query is the same in all'),
    consumer_group: group.describe('A consumer group, or a rerank model or its alias; null = classify'),
  })
  .meta({ id: 'ClassifyRequest' })
export const classifyAnswer = z
  .object({ result: z.array(z.array(z.number())).describe('One score for each pair, in their order') })
  .meta({ id: 'ClassifyAnswer' })

/** POST /classify: how well documents fit a query, each pair in its place. */
export function classifyCall(settings: Settings): GroupCall {
  let asked = ''
  let count = 0
  const call: ModelCall = {
    ...rerank,
    async read(context, limits) {
      const body = await bodyOf(context, limits, classifyBody)
      asked = body.consumer_group ?? 'classify'
      count = body.text.length
      return requestFor({ model: modelOfGroup(settings, asked), ...queryOf(body.text) })
    },
    relay: (reply, relay) =>
      relayAs(reply, relay, { of: 'a reranker', made: (value) => scoresOf(value, count, relay.context.requestId) }),
  }
  return { call, group: () => asked }
}

/** Rerankers take one query at a time. */
function queryOf(pairs: readonly (readonly string[])[]): { readonly query: string; readonly documents: string[] } {
  const query = pairs[0]?.[0] ?? ''
  const other = pairs.findIndex(([each]) => each !== query)
  if (other !== -1) {
    throw new ApiError('validation_failed', {
      param: `text.${other}.0`,
      message: `"text.${other}.0": expected the query of the first pair. Send a request for each query.`,
    })
  }
  return { query, documents: pairs.map(([, document = '']) => document) }
}

function scoresOf(value: unknown, count: number, id: string): object | null {
  const scores = new Map(rerankAnswer(value, id)?.results.map((each) => [each.index, each.relevance_score]))
  const result = Array.from({ length: count }, (_, at) => scores.get(at))
  return result.some((score) => score === undefined) ? null : { result: result.map((score) => [score]) }
}

async function bodyOf<S extends z.ZodType>(context: RequestContext, limits: BodyLimits, schema: S) {
  const { value } = await readJson(context, { ...limits, json: passedJsonLimits })
  return validBody(schema, value)
}

function requestFor(body: Readonly<Record<string, unknown>>): ModelRequest {
  return requestOf(Buffer.from(JSON.stringify(body)), body)
}
