/**
 * A whole answer of the AI SDK's model interface as a chat completion, and the pieces that whole and
 * streamed answers share. Thoughts are in `reasoning_content`, as most servers of the OpenAI dialect
 * have it; what a vendor wants back with a thought or a call (a signature) is in `extra_content`.
 * Shape: https://platform.openai.com/docs/api-reference/chat/object
 */
import type {
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { notSupported, Problem } from './problem.ts'

export interface Identity {
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
}

/** Settings of the packages, by the request field that they come from. */
const fieldOfFeature: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop',
  responseFormat: 'response_format',
  reasoning: 'reasoning_effort',
  toolChoice: 'tool_choice',
  strict: 'tools',
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
}

/** The chat completion. Throws a Problem when the model itself reports a failure. */
export function chatCompletion(result: LanguageModelV4GenerateResult, identity: Identity): object {
  const choice = { index: 0, message: messageOf(result.content), logprobs: null }
  const usage = usageOf(result.usage)
  return {
    ...identity,
    object: 'chat.completion',
    choices: [{ ...choice, finish_reason: finishReasonOf(result.finishReason) }],
    ...(usage !== null && { usage }),
  }
}

/** The answer's own id, time and model, as far as the vendor tells them. */
export function identityOf(
  metadata: { readonly id?: string; readonly timestamp?: Date; readonly modelId?: string } | undefined,
  fallback: Identity,
): Identity {
  const created = metadata?.timestamp === undefined ? NaN : Math.floor(metadata.timestamp.getTime() / 1000)
  return {
    id: metadata?.id || fallback.id,
    created: Number.isFinite(created) ? created : fallback.created,
    model: metadata?.modelId || fallback.model,
  }
}

/** Throws a Problem for the first setting that the package says it left out. */
export function refuseIgnored(warnings: readonly SharedV4Warning[]): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported') continue
    const field = fieldOfFeature[warning.feature]
    // What has no field was not the caller's wish in these words.
    if (field !== undefined) throw notSupported(field, warning.details ?? 'the model does not support it.')
  }
}

/** The finish reason in OpenAI's words. Throws a Problem when the model stopped because of an error. */
export function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): string {
  const reason = finishReasons[unified]
  if (reason !== undefined) return reason
  const detail = raw === undefined ? '' : ` (${raw})`
  throw new Problem(`The model could not finish its answer${detail}.`, null, { status: 502 })
}

/** Token counts; null when the vendor told none. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): object | null {
  const input = inputTokens.total
  const output = outputTokens.total
  if (input === undefined || output === undefined) return null
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: inputTokens.cacheRead ?? 0,
      ...(inputTokens.cacheWrite && { cache_write_tokens: inputTokens.cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: outputTokens.reasoning ?? 0 },
  }
}

/** A piece of reasoning with what the vendor wants back with it; null when that is nothing. */
export function reasoningDetail(text: string, metadata: SharedV4ProviderMetadata | undefined): object | null {
  if (metadata === undefined || Object.values(metadata).every((own) => Object.keys(own).length === 0)) return null
  return { type: 'reasoning.text', text, extra_content: metadata }
}

/** A picture that the model made, as a data URL. */
export function imageOf({ mediaType, data }: LanguageModelV4File): object {
  const payload = typeof data === 'object' && 'type' in data ? (data.type === 'url' ? data.url : data.data) : data
  if (payload instanceof URL) return { type: 'image_url', image_url: { url: payload.href } }
  const base64 = typeof payload === 'string' ? payload : Buffer.from(payload).toString('base64')
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64}` } }
}

function messageOf(content: readonly LanguageModelV4Content[]): object {
  let text = ''
  let reasoning = ''
  const details: object[] = []
  const calls: object[] = []
  const images: object[] = []
  for (const part of content) {
    if (part.type === 'text') text += part.text
    else if (part.type === 'reasoning') {
      reasoning += part.text
      const detail = reasoningDetail(part.text, part.providerMetadata)
      if (detail !== null) details.push(detail)
    } else if (part.type === 'file') images.push(imageOf(part))
    else if (part.type === 'tool-call' && part.providerExecuted !== true) {
      const extra = part.providerMetadata === undefined ? {} : { extra_content: part.providerMetadata }
      const called = { name: part.toolName, arguments: part.input }
      calls.push({ id: part.toolCallId, type: 'function', function: called, ...extra })
    }
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
  }
}
