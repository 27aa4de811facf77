/**
 * POST /ai/v1/responses with the tool `file_search` over vector stores of this gateway, for every model: the model calls a
 * function, the gateway searches and asks again, within a bounded number of rounds. Each round is a call of its own, with
 * its own slot, limits, budget and record; what the client gets is one response.
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import { eventStreamHeaders } from '#http/event-stream.ts'
import { streamOf } from '#http/file-answer.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'
import { isObject } from '#lib/json-value.ts'
import type { Model } from '#catalog/catalog.ts'
import { headersForUpstream } from './call/headers.ts'
import type { ModelCall } from './endpoints/model-call.ts'
import { responses } from './endpoints/responses.ts'
import { asInput, queriesIn, roundBody, roundsMax, searchedRequest } from './file-search/round-request.ts'
import { SearchedAnswer, type Searched } from './file-search/searched-answer.ts'
import type { SearchFiles } from './file-search/search-files.ts'
import type { Gateway } from './gateway.ts'
import { InnerContext } from './inner-context.ts'
import { parseBody } from './request/fields.ts'
import type { FileSearchSpec } from './request/file-search-tool.ts'
import type { ModelRequest } from './request/model-request.ts'
import type { TokenUsage } from './usage/token-usage.ts'
import type { Settled } from './usage/usage-recorder.ts'
import type { KeptState } from './request/response-state.ts'

type Fields = Readonly<Record<string, unknown>>

export interface SearchedCall {
  readonly context: RequestContext
  readonly caller: Caller
  readonly model: Model
  readonly clientCall: ModelCall
  /** With all that it builds on, as far as the gateway keeps it. */
  readonly request: ModelRequest
  readonly searchFiles: SearchFiles
  /** Serves a round. */
  readonly serve: (gateway: Gateway, context: RequestContext, caller: Caller, call: ModelCall) => Promise<Response>
}

/** Answers 400 and 404 for the stores, and what the first round answers, by throwing. */
export async function serveFileSearch(gateway: Gateway, call: SearchedCall): Promise<Response> {
  const { context, caller, clientCall, request, searchFiles, serve } = call
  const kept = request.state?.kept ?? null
  const spec = request.state?.fileSearch ?? null
  if (kept === null || spec === null) throw new Error('a request that searches files has a state')
  await searchFiles({ caller, spec, queries: [], signal: context.signal }) // 400, 404
  const left = new AbortController()
  const signal = AbortSignal.any([context.signal, left.signal])
  const headers = headersForUpstream(context.request.headers, gateway.settings.get('gateway.request_headers'))
  let [cost, usage, failure]: Parameters<Settled> = [null, null, null]
  const { purpose, isAsync, traced } = clientCall
  const settled: Settled = (part, used, failed) => {
    failure = failed
    cost = sum(cost, part)
    usage = usage && used ? usageOfBoth(usage, used) : (usage ?? used)
  }
  const inner: ModelCall = { ...responses, purpose, isAsync, traced, settled } as ModelCall
  const ask = (body: object): Promise<Response> => {
    const asked = new InnerContext(responses.endpoint, { body: JSON.stringify(body), headers }, signal, gateway.clock)
    return serve(gateway, asked, caller, inner)
  }
  const rounds = await begin({ gateway, call, kept, spec, signal, ask })
  if (request.streamed) {
    const body = streamOf(bytesOf(rounds))
    return context.respond(
      endingWith(body, {
        ended: () => clientCall.settled?.(cost, usage, failure),
        left: () => left.abort(),
      }),
      { status: 200, headers: { ...eventStreamHeaders } },
    )
  }
  const answer = await wholeOf(rounds)
  clientCall.settled?.(cost, usage, failure)
  return context.respond(JSON.stringify(answer), { status: 200, headers: { 'content-type': 'application/json' } })
}

function usageOfBoth(a: TokenUsage, b: TokenUsage): TokenUsage {
  const [promptTokens, completionTokens] = [
    sum(a.promptTokens, b.promptTokens),
    sum(a.completionTokens, b.completionTokens),
  ]
  if (!a.kinds || !b.kinds) return { ...a, ...b, promptTokens, completionTokens }
  const kinds = {
    cachedTokens: sum(a.kinds.cachedTokens, b.kinds.cachedTokens),
    cacheWriteTokens: sum(a.kinds.cacheWriteTokens, b.kinds.cacheWriteTokens),
    reasoningTokens: sum(a.kinds.reasoningTokens, b.kinds.reasoningTokens),
  }
  return { ...a, ...b, promptTokens, completionTokens, kinds: { ...b.kinds, ...kinds } }
}

/** Null is what nobody has counted. */
function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
}

interface Rounds {
  readonly gateway: Gateway
  readonly call: SearchedCall
  readonly kept: KeptState
  readonly spec: FileSearchSpec
  readonly signal: AbortSignal
  readonly ask: (body: object) => Promise<Response>
}

/** Asks the first round, whose refusal is the answer's; the events of all rounds, and the response. */
async function begin(rounds: Rounds): Promise<AsyncGenerator<string, Ended>> {
  const { request } = rounds.call
  const searched = searchedRequest(parseBody(request.bytes))
  const first = await rounds.ask(roundBody(searched, [], true))
  return allRounds(rounds, searched, first)
}

type Ended = { readonly response: Fields } | { readonly error: ApiError }

async function* allRounds(
  { gateway, call, kept, spec, signal, ask }: Rounds,
  searched: ReturnType<typeof searchedRequest>,
  first: Response,
): AsyncGenerator<string, Ended> {
  const { caller, model, searchFiles } = call
  const { fields, name, searchesMax } = searched
  const search = async (text: unknown): Promise<Searched> => {
    const queries = queriesIn(text)
    if (queries.length === 0) return { queries, passages: null, failure: 'Name what to look for in "queries".' }
    try {
      return { queries, passages: await searchFiles({ caller, spec, queries, signal }), failure: '' }
    } catch (thrown) {
      if (signal.aborted) throw thrown
      return { queries, passages: null, failure: `The search failed. ${toApiError(thrown).message}` }
    }
  }
  const { tools, tool_choice: choice = 'auto', max_tool_calls: calls = null } = fields
  const echo = { tools, tool_choice: choice, max_tool_calls: calls }
  const answer = new SearchedAnswer({ state: kept, name, echo, wantsResults: spec.wantsResults, search })
  try {
    const more: Fields[] = []
    let reply = first
    for (let round = 1; ; round += 1) {
      const { response, found, isFinal } = yield* answer.round(eventsOf(reply))
      if (!isFinal && round <= roundsMax) {
        more.push(...asInput(Array.isArray(response['output']) ? response['output'] : []), ...found)
        const maySearch = round < roundsMax && answer.searches < (searchesMax ?? Infinity)
        reply = await ask(roundBody(searched, more, maySearch))
        continue
      }
      const whole = answer.response(response)
      if (response['status'] === 'failed') return { error: new ApiError('upstream_stream_error') }
      const stored = kept.stored && !kept.background
      const owner = { userId: caller.account.user.id, modelId: model.record.id }
      if (stored || kept.conversationId !== null) await gateway.keptResponses.keep(whole, owner, { ...kept, stored })
      yield answer.end(response)
      return { response: whole }
    }
  } catch (thrown) {
    const error = toApiError(thrown)
    yield answer.fail(errorBody(error).error)
    return { error }
  }
}

/** The data of the events of a round; null for what only keeps the connection. */
async function* eventsOf({ body }: Response): AsyncGenerator<Fields | null> {
  let rest = Buffer.alloc(0)
  for await (const chunk of body ?? []) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = nextEventEnd(bytes, 0); end > 0; end = nextEventEnd(bytes, from)) {
      const event = bytes.subarray(from, end)
      from = end
      const span = singleDataSpan(event)
      if (span === null) {
        yield null
        continue
      }
      const value = parseBounded(event.subarray(span.start, span.end), passedJsonLimits)
      if (!isObject(value)) continue
      if (value['type'] === 'error') throw streamError(value)
      yield value
    }
    rest = Buffer.from(bytes.subarray(from))
  }
}

function streamError({ message, error }: Fields): ApiError {
  const said = isObject(error) && typeof error['message'] === 'string' ? error['message'] : message
  return new ApiError('upstream_stream_error', typeof said === 'string' ? { message: said } : {})
}

async function* bytesOf(events: AsyncGenerator<string, unknown>): AsyncGenerator<Uint8Array, void> {
  for await (const text of events) yield Buffer.from(text)
}

async function wholeOf(events: AsyncGenerator<string, Ended>): Promise<Fields> {
  for (;;) {
    const { done, value } = await events.next()
    if (done !== true) continue
    if ('error' in value) throw value.error
    return value.response
  }
}

/** The same stream; when its reader leaves, what makes it ends at once, even in the middle of a wait. */
function endingWith(
  body: ReadableStream<Uint8Array>,
  { ended, left }: { readonly ended: () => void; readonly left: () => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        ended()
        controller.close()
      },
      async cancel() {
        left()
        await reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}
