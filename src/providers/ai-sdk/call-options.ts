/**
 * The fields of a chat completion besides its messages as call options of the AI SDK's model
 * interface. What changes the answer and has no counterpart is refused; a hint about its length is not worth a refusal,
 * and the answer names it.
 */
import type { JSONValue, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ChatRequest } from './chat-request.ts'
import { promptOf } from './prompt.ts'
import type { SupportedUrls } from './media.ts'
import { notSupported, Problem } from './problem.ts'
import type { Vendor } from './vendor.ts'

type Tool = NonNullable<LanguageModelV4CallOptions['tools']>[number]
type Format = LanguageModelV4CallOptions['responseFormat']

/** Fields that no vendor's package has a counterpart of, and the values of each that change nothing. */
const untranslatable: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: isEmpty,
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  audio: () => false,
  prediction: () => false,
  functions: isEmpty,
  function_call: (value) => value === 'none' || value === 'auto',
  web_search_options: () => false,
  service_tier: (value) => value === 'auto' || value === 'default',
  store: (value) => value === false,
}

/**
 * The fields that the vendors have nothing for and that the answer does without. Anthropic's `effort` is not the counterpart of
 * `verbosity`: it limits thoughts and tool calls as well, `reasoning_effort` sets it, and some models refuse it.
 */
export function ignoredFields({ verbosity }: ChatRequest): readonly string[] {
  return verbosity === 'low' || verbosity === 'high' ? ['verbosity'] : []
}

/** The options of one call, without its signal and headers. Throws a Problem for what cannot be honoured. */
export function callOptions(request: ChatRequest, vendor: Vendor, urls: SupportedUrls): LanguageModelV4CallOptions {
  refuseUntranslatable(request, vendor)
  const tools = toolsOf(request)
  const options: LanguageModelV4CallOptions = { prompt: promptOf(request.messages, urls), ...samplingOf(request) }
  if (tools.length > 0) {
    options.tools = tools
    const choice = toolChoiceOf(request, tools)
    if (choice !== undefined) options.toolChoice = choice
  }
  const format = responseFormatOf(request, vendor)
  if (format !== undefined) options.responseFormat = format
  if (request.reasoning_effort) options.reasoning = request.reasoning_effort
  const own = vendor.chatOptions(request)
  if (Object.keys(own).length > 0) options.providerOptions = { [vendor.namespace]: own as Record<string, JSONValue> }
  return options
}

function refuseUntranslatable(request: ChatRequest, vendor: Vendor): void {
  const body: Readonly<Record<string, unknown>> = request
  for (const [field, changesNothing] of Object.entries(untranslatable)) {
    const value = body[field]
    if (value === undefined || value === null || changesNothing(value)) continue
    throw notSupported(field, `providers of kind "${vendor.kind}" have nothing that corresponds to it.`)
  }
  for (const field of vendor.unsupported) {
    // Zero penalties are what every vendor does anyway, and so are parallel calls.
    if (body[field] === undefined || body[field] === null || body[field] === 0 || body[field] === true) continue
    throw notSupported(field, `providers of kind "${vendor.kind}" do not support it.`)
  }
}

function samplingOf(request: ChatRequest): Partial<LanguageModelV4CallOptions> {
  const { stop } = request
  return defined({
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: request.temperature,
    // One, which limits nothing, is not sent: many clients set it beside a temperature, and some vendors take only one of the two.
    topP: request.top_p === 1 ? undefined : request.top_p,
    topK: request.top_k,
    seed: request.seed,
    // Zero is not sent: it is the default, also of vendors that have no field for it.
    presencePenalty: request.presence_penalty || undefined,
    frequencyPenalty: request.frequency_penalty || undefined,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
  })
}

function toolsOf(request: ChatRequest): Tool[] {
  return (request.tools ?? []).map((tool, index) => {
    if (tool.type !== 'function' || !tool.function) {
      throw notSupported(`tools.${index}.type`, 'only tools of type "function" are.')
    }
    const { name, description, parameters, strict } = tool.function
    const inputSchema = parameters ?? { type: 'object', properties: {} }
    return { type: 'function', name, inputSchema, ...defined({ description, strict }) } as Tool
  })
}

function toolChoiceOf(
  { tool_choice: choice }: ChatRequest,
  tools: readonly Tool[],
): LanguageModelV4CallOptions['toolChoice'] {
  if (!choice) return undefined
  if (typeof choice === 'string') return { type: choice }
  const toolName = choice.function?.name
  if (choice.type !== 'function' || toolName === undefined) {
    throw notSupported('tool_choice', 'name one function, or write "none", "auto" or "required".')
  }
  if (!tools.some(({ name }) => name === toolName)) throw new Problem('"tools" has no such function.', 'tool_choice')
  return { type: 'tool', toolName }
}

function responseFormatOf({ response_format: format }: ChatRequest, vendor: Vendor): Format {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') {
    if (!vendor.jsonNeedsSchema) return { type: 'json' }
    throw notSupported('response_format', `providers of kind "${vendor.kind}" need a schema ("json_schema").`)
  }
  const { schema, name, description } = format.json_schema ?? {}
  if (!schema) throw new Problem('The format "json_schema" needs a schema.', 'response_format.json_schema.schema')
  return { type: 'json', schema, ...defined({ name, description }) } as Format
}

/** The entries that have a value: absent and null are the same to the caller, but not to the packages. */
function defined<T extends object>(entries: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(entries).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
