/**
 * The generation endpoints: one image or none, one prompt or many, answered as they arrive or all at
 * once. The server has already authenticated the caller (401).
 */
import { toApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Generation } from './generation.ts'
import { planModel, type ModelPlan } from './upstream/model-plan.ts'
import type { GenerationEndpoint, ModelSession } from './model-session.ts'
import { Prompts } from './prompts.ts'
import {
  readImageRequest,
  readTextRequest,
  type GenerationRequest,
  type RequestLimits,
} from './request/read-request.ts'
import { TokenStream } from './answer/token-stream.ts'
import { WholeAnswer } from './answer/whole-answer.ts'

/** The answer to one request. Throws the ApiError to answer; whatever the request held is given back by then. */
export async function generate(
  generation: Generation,
  context: RequestContext,
  caller: Caller,
  endpoint: GenerationEndpoint,
): Promise<Response> {
  using held = new DisposableStack()
  const session = held.use(generation.begin(context, caller, endpoint))
  try {
    return await answer(generation, context, { endpoint, session, held, lane: caller.account.user.id })
  } catch (thrown) {
    const error = toApiError(thrown)
    session.record.fail(error)
    session.end(error)
    throw error
  }
}

interface Handled {
  readonly endpoint: GenerationEndpoint
  readonly session: ModelSession
  readonly held: DisposableStack
  /** The account, which takes turns with others where the server has work to do. */
  readonly lane: string
}

async function answer(generation: Generation, context: RequestContext, handled: Handled): Promise<Response> {
  const { endpoint, session, held, lane } = handled
  const read = endpoint.startsWith('image_') ? readImageRequest : readTextRequest
  const request = await read(context, limitsOf(generation, handled)) // 400, 408, 413, 415, 422
  const streamed = endpoint.endsWith('_stream')
  session.record.streamed = streamed
  session.record.requestBytes = request.bytes

  const model = session.resolve(request.payload.consumerGroup) // 404, 403, 503
  const planned = await planModel(generation, request, { model, lane }) // 422, 429
  const { texts, parameters } = request.payload
  const hasImage = endpoint.startsWith('image_')
  const plan = {
    ...planned,
    model: await session.admit(planned.model, { texts, hasImage, newTokens: parameters.maxNewTokens }),
  } // 400, 402, 429, 503
  const answering = { generation, context, session, held, request, plan }
  return streamed ? answerStreamed(answering) : answerWhole(answering) // 4xx of the upstream, 502, 503, 504
}

function limitsOf({ settings, bodies }: Generation, { lane, held }: Handled): RequestLimits {
  return {
    body: {
      bytesMax: settings.get('server.max_body_bytes'),
      readSeconds: settings.get('server.body_read_seconds'),
      room: { budget: bodies, owner: lane, held },
    },
    image: {
      bytesMax: settings.get('generation.max_image_bytes'),
      pixelsMax: settings.get('generation.max_image_pixels'),
    },
    batchMax: settings.get('generation.max_batch'),
    imageRoots: settings.get('generation.image_roots'),
  }
}

interface Answering {
  readonly generation: Generation
  readonly context: RequestContext
  readonly session: ModelSession
  readonly held: DisposableStack
  readonly request: GenerationRequest
  readonly plan: ModelPlan
}

async function answerStreamed(answering: Answering): Promise<Response> {
  const { generation, context, session, held, request, plan } = answering
  const { settings, ticker } = generation
  const sink = new TokenStream({
    context,
    record: session.record,
    ticker,
    payload: request.payload,
    keepaliveSeconds: settings.get('gateway.keepalive_seconds'),
    giveUpAt: Math.min(plan.prompts.length, settings.get('generation.request_concurrency')),
    stalled: () => prompts.leavePlaces(),
    abandon: (reason) => session.end(reason),
  })
  const prompts = promptsOf(answering, sink)
  void prompts.answerAll()
  await sink.open()
  if (session.ended !== null) throw session.ended
  // Only now: what is thrown above ends the request while this function still holds everything.
  return sink.respond(held.move())
}

async function answerWhole(answering: Answering): Promise<Response> {
  const { generation, context, session, request } = answering
  const charactersMax = generation.settings.get('gateway.max_response_bytes')
  const sink = new WholeAnswer({ payload: request.payload, charactersMax })
  void promptsOf(answering, sink).answerAll()
  await sink.all
  if (session.ended !== null) throw session.ended
  session.record.firstToken()
  const { response, bytes } = sink.respond(context)
  session.record.responseBytes = bytes.byteLength
  session.record.content?.answer(bytes)
  return response
}

function promptsOf({ generation, session, held, plan }: Answering, sink: TokenStream | WholeAnswer): Prompts {
  const { settings, gates } = generation
  return new Prompts({
    session,
    plan,
    sink,
    lane: held.use(gates.lane(plan.model.record.id)),
    concurrency: settings.get('generation.request_concurrency'),
    leaderFirst: settings.get('generation.leader_first'),
  })
}
