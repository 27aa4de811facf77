/**
 * The practice provider: a kind of upstream with no model behind it and no network, for first steps
 * and for trying out clients. Its answers say so; its wire shapes, token counts, picture
 * measurements and failures are real. Guide: docs/practice-provider.md.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { replyOf } from '#lib/http1/reply.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import { answerText, chatFacts, codePoints, lastUserText, systemTextOf } from './demo/answer.ts'
import { directivesIn, type Directives } from './demo/directives.ts'
import { embeddingsAnswer } from './demo/embeddings.ts'
import { picturesOf } from './demo/picture.ts'
import { DemoProblem, orderedProblem, problemResponse } from './demo/problem.ts'
import { replyResponse } from './demo/reply-body.ts'
import { limitsOf, newId, textChoice, toolChoice, type Choice, type Reply } from './demo/reply.ts'
import { readChatRequest, readCompletionRequest, readEmbeddingRequest, type SamplingRequest } from './demo/request.ts'
import { chatPromptTokens, textsOf } from './demo/prompt.ts'
import { countTokens } from '#lib/tokens/tokens.ts'
import { toolCallFor } from './demo/tool-call.ts'
import { chatWire, completionWire } from './demo/wire.ts'
import { jsonBody, type DiscoveredModel, type Endpoint, type Provider, type UpstreamCall } from './provider.ts'

/** One paragraph for people who choose among kinds of provider. */
export const demoDescription =
  'Practice provider: no model, no network, no key. It answers in the shapes of the OpenAI API and reports what it ' +
  'received: sizes, true token counts, formats and colours of pictures. Words in the last user message change its ' +
  'behaviour: /delay 500, /pace 20, /error 503, /cut 5, /json, /tool, /long 500, /hang.'

const embeddingTokensMax = 8192
/** The default of the OpenAI interface for this endpoint. */
const completionTokensMax = 16
const textModels = ['demo-chat', 'demo-vision']
const models: readonly DiscoveredModel[] = [
  { id: 'demo-chat' },
  { id: 'demo-vision' },
  { id: 'demo-embed', contextLength: embeddingTokensMax },
]

type Handle = (call: UpstreamCall, created: number) => Promise<Response>

const handlers: ReadonlyMap<Endpoint, Handle> = new Map<Endpoint, Handle>([
  ['chat/completions', answerChat],
  ['completions', answerCompletion],
  ['embeddings', answerEmbeddings],
])

/** A provider that answers inside this process; it holds nothing that must be closed. */
export function demoProvider(record: ProviderRecord, clock: Clock = systemClock): Provider {
  return {
    record,
    endpoints: new Set(handlers.keys()),
    async send(call) {
      call.signal.throwIfAborted()
      try {
        const handle = handlers.get(call.endpoint) ?? refuseEndpoint
        const response = await handle(call, Math.floor(clock.now() / 1000))
        call.signal.throwIfAborted()
        return replyOf(response)
      } catch (error) {
        if (error instanceof DemoProblem && !call.signal.aborted) return replyOf(problemResponse(error))
        call.signal.throwIfAborted()
        throw error
      }
    },
    async discover(signal) {
      signal.throwIfAborted()
      return models
    },
  }
}

async function refuseEndpoint({ endpoint }: UpstreamCall): Promise<never> {
  throw new DemoProblem(`The practice provider has no endpoint "${endpoint}".`, null, 'endpoint_not_supported', 404)
}

async function answerChat(call: UpstreamCall, created: number): Promise<Response> {
  const request = readChatRequest(jsonBody(call))
  requireModel(request.model, textModels)
  const directives = obeyed(lastUserText(request.messages))
  const pictures = await picturesOf(request.messages)
  const promptTokens = await chatPromptTokens(request, pictures.length)
  const [systemTokens = 0] = await countTokens([systemTextOf(request.messages)])
  const limits = limitsOf(request, request.max_completion_tokens ?? request.max_tokens)
  const toolCall = toolCallFor(request, directives)
  const text = toolCall
    ? ''
    : answerText(request, chatFacts(request, { promptTokens, systemTokens, pictures }), directives)
  const choices: Choice[] = []
  for (let index = 0; index < (request.n ?? 1); index += 1) {
    choices.push(toolCall ? await toolChoice(index, toolCall, limits) : await textChoice(index, text, limits))
  }
  const reply = { id: newId('chatcmpl-'), created, promptTokens, choices, directives, ...manner(request) }
  return replyResponse(reply, chatWire, call.signal)
}

async function answerCompletion(call: UpstreamCall, created: number): Promise<Response> {
  const request = readCompletionRequest(jsonBody(call))
  requireModel(request.model, textModels)
  const prompts = await textsOf(request.prompt, 'prompt')
  const directives = obeyed(prompts.at(-1) ?? '')
  const limits = limitsOf(request, request.max_tokens ?? completionTokensMax)
  const count = request.n ?? 1
  const choices: Choice[] = []
  let total = 0
  const counts = await countTokens(prompts)
  for (const [at, prompt] of prompts.entries()) {
    const promptTokens = counts[at] ?? 0
    total += promptTokens
    const text = answerText(request, promptFacts(request.model, prompt, promptTokens), directives)
    const choice = await textChoice(0, text, limits)
    const pieces = request.echo ? [{ text: prompt, tokens: 0 }, ...choice.pieces] : choice.pieces
    for (let index = at * count; index < (at + 1) * count; index += 1) choices.push({ ...choice, pieces, index })
  }
  const reply = { id: newId('cmpl-'), created, promptTokens: total, choices, directives, ...manner(request) }
  return replyResponse(reply, completionWire, call.signal)
}

async function answerEmbeddings(call: UpstreamCall): Promise<Response> {
  const request = readEmbeddingRequest(jsonBody(call))
  requireModel(request.model, ['demo-embed'])
  return Response.json(await embeddingsAnswer(request, embeddingTokensMax))
}

function promptFacts(model: string, prompt: string, promptTokens: number): Parameters<typeof answerText>[1] {
  const nothing = {
    systemText: '',
    systemTokens: 0,
    messages: 0,
    toolResult: null,
    otherParts: [],
    pictures: [],
    toolNames: [],
  }
  return { ...nothing, model, promptTokens, characters: codePoints(prompt), lastText: prompt }
}

function obeyed(text: string): Directives {
  const directives = directivesIn(text)
  if (directives.errorStatus !== null) throw orderedProblem(directives.errorStatus)
  return directives
}

function requireModel(model: string, offered: readonly string[]): void {
  if (offered.includes(model)) return
  const message = `The practice provider has no model "${model.slice(0, 100)}" for this endpoint. It has: ${offered.join(', ')}.`
  throw new DemoProblem(message, 'model', 'model_not_found', 404)
}

function manner(request: SamplingRequest): Pick<Reply, 'model' | 'streamed' | 'usageAsked'> {
  const streamed = request.stream === true
  return { model: request.model, streamed, usageAsked: streamed && request.stream_options?.include_usage === true }
}
