/**
 * Vendors with an interface of their own, through the provider packages of the AI SDK: Anthropic,
 * Google, Amazon Bedrock, Mistral, Cohere, and any other package that speaks the same model
 * interface. Chat completions and embeddings are translated in both directions; what cannot be
 * honoured is refused by the name of its field. Guide: docs/providers-ai-sdk.md.
 *
 * The packages are loaded by the first call and not before. They are given a fetch of ours and do
 * not retry: the model interface is called directly, without the `ai` package.
 * Interface: https://github.com/vercel/ai/tree/main/packages/provider
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ProviderRecord } from '#catalog/records.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { chatCompletion, identityOf, refuseIgnored, type Identity } from './ai-sdk/answer.ts'
import { callFetch, type CallFetch } from './ai-sdk/call-fetch.ts'
import { callOptions, ignoredFields } from './ai-sdk/call-options.ts'
import { readChatRequest, readEmbeddingRequest } from './ai-sdk/chat-request.ts'
import { ChatStream } from './ai-sdk/chat-stream.ts'
import { embeddingsAnswer } from './ai-sdk/embeddings.ts'
import { problemOf } from './ai-sdk/failure.ts'
import { chatModel, embeddingModel, forVersion } from './ai-sdk/model.ts'
import { misconfigured, Problem, problemReply, wholeReply } from './ai-sdk/problem.ts'
import type { Vendor } from './ai-sdk/vendor.ts'
import { vendors } from './ai-sdk/vendors.ts'
import { jsonBody, UpstreamFailure, type DiscoveredModel, type Provider, type UpstreamCall } from './provider.ts'

/** The kinds that this adapter serves, each with what there is to say of it. */
export const aiSdkKinds: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic: the Claude models.',
  google: 'Google: the Gemini API.',
  bedrock: 'Amazon Bedrock. Options: region, access_key_id; the credential is the secret access key or an API key.',
  mistral: 'Mistral AI.',
  cohere: 'Cohere.',
  'ai-sdk': 'Any other provider package of the AI SDK. Options: package, factory, settings, namespace.',
}

/** What a call needs besides itself. */
interface Means {
  readonly vendor: Vendor
  readonly record: ProviderRecord
  /** Seconds since 1970. */
  readonly created: number
  readonly open: typeof callFetch
}

/** A provider of one of `aiSdkKinds`; it holds nothing that must be closed. @param open how each call gets to the network */
export function aiSdkProvider(record: ProviderRecord, clock: Clock = systemClock, open = callFetch): Provider {
  return {
    record,
    endpoints: new Set(['chat/completions', 'embeddings']),
    async send(call) {
      call.signal.throwIfAborted()
      try {
        const created = Math.floor(clock.now() / 1000)
        const reply = await answer({ vendor: vendorOf(record), record, created, open }, call)
        call.signal.throwIfAborted()
        return reply
      } catch (thrown) {
        call.signal.throwIfAborted()
        return problemReply(problemOf(thrown))
      }
    },
    discover: (signal) => discover(record, signal),
  }
}

function answer(means: Means, call: UpstreamCall): Promise<Reply> {
  if (call.endpoint === 'chat/completions') return answerChat(means, call)
  if (call.endpoint === 'embeddings') return answerEmbeddings(means, call)
  throw new Problem(`Providers of kind "${means.vendor.kind}" have no endpoint "${call.endpoint}".`, null, {
    status: 404,
  })
}

async function answerChat({ vendor, record, created, open }: Means, call: UpstreamCall): Promise<Reply> {
  const request = readChatRequest(jsonBody(call))
  // Ends the upstream call when the gateway's signal does, and when the reader gives up.
  const own = new AbortController()
  const signal = AbortSignal.any([call.signal, own.signal])
  const out = open({ ...call, record, signal })
  const model = await chatModel(vendor, call.upstreamModel, out)
  const options = forVersion(model.specificationVersion, callOptions(request, vendor, await model.supportedUrls))
  const identity = { id: `chatcmpl-${crypto.randomUUID()}`, created, model: call.upstreamModel }
  const ignored = ignoredFields(request)
  const headers = (type: string) => ({
    ...headersOf(out, type),
    ...(ignored.length > 0 && { 'x-sluice-ignored-fields': ignored.join(', ') }),
  })
  if (request.stream !== true) {
    const result = await model.doGenerate({ ...options, abortSignal: signal })
    refuseIgnored(result.warnings)
    const completion = chatCompletion(result, identityOf(result.response, identity))
    return wholeReply(200, headers('application/json'), completion)
  }
  const { stream } = await model.doStream({ ...options, abortSignal: signal })
  const usageAsked = request.stream_options?.include_usage === true
  const body = await openStream(stream, { identity, usageAsked, signal: call.signal, abandon: () => own.abort() })
  return { status: 200, headers: headers('text/event-stream; charset=utf-8'), body }
}

/** The body of a stream, once the package has said whether it left out any setting. */
async function openStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: { identity: Identity; usageAsked: boolean; signal: AbortSignal; abandon: () => void },
): Promise<ChatStream> {
  const parts = stream.getReader()
  const { value } = await parts.read()
  const body = new ChatStream(parts, value ?? null, options)
  try {
    if (value?.type === 'stream-start') refuseIgnored(value.warnings)
  } catch (thrown) {
    body.cancel()
    throw thrown
  }
  return body
}

async function answerEmbeddings({ vendor, record, open }: Means, call: UpstreamCall): Promise<Reply> {
  const request = readEmbeddingRequest(jsonBody(call))
  const out = open({ ...call, record })
  const model = await embeddingModel(vendor, call.upstreamModel, out)
  return wholeReply(
    200,
    headersOf(out, 'application/json'),
    await embeddingsAnswer(request, vendor, model, call.signal),
  )
}

async function discover(record: ProviderRecord, signal: AbortSignal): Promise<readonly DiscoveredModel[]> {
  signal.throwIfAborted()
  const vendor = vendorOf(record)
  if (vendor.listModels === null) {
    throw misconfigured(`Providers of kind "${vendor.kind}" do not list their models; add each model by its name.`)
  }
  const requestId = crypto.randomUUID()
  const out = callFetch({ record, requestId, signal, reuseConnection: true, headers: {} })
  return vendor.listModels(async (url, headers) => {
    const reply = await out.fetch(url, { headers, signal })
    if (!reply.ok) throw new UpstreamFailure('protocol', new Error(`GET /models answered ${reply.status}`))
    return reply.json().catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new UpstreamFailure('protocol', cause)
    })
  })
}

function vendorOf(record: ProviderRecord): Vendor {
  const make = vendors[record.kind]
  if (make === undefined) throw new Error(`no vendor of kind ${record.kind}`)
  return make(record)
}

function headersOf(out: CallFetch, contentType: string): Record<string, string> {
  return { ...out.answerHeaders(), 'content-type': contentType }
}
