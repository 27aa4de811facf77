/**
 * The generation payload: the JSON body of `/generate` and the part `json_data` of the image
 * endpoints. Null equals absent for every field, because clients send all that they do not set as
 * null. What cannot be honoured is refused later, by upstream; what makes no sense is refused here.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { validBody } from '#http/validate.ts'
import { isObject } from '#lib/json-value.ts'
import { readConstraint, type Constraint } from './constraint.ts'

const int64 = z.int()

/** The fields as documented; `text` is checked by hand, for the sake of its messages. */
export const payloadSchema = z
  .looseObject({
    text: z.union([z.string(), z.array(z.string())]).describe('A prompt, or several that are answered separately'),
    constrained_decoding_backend: z.string().nullish(),
    consumer_group: z.string().nullish().describe('A consumer group, or a model or alias; null = primary'),
    image_paths: z.array(z.string()).nullish().describe('At most one file on the server; off by default'),
    json_schema: z.unknown().optional().describe('A JSON schema for the answer, as an object or as text'),
    lora_id: z.string().nullish(),
    max_new_tokens: int64.min(1).nullish().describe('128 when left out'),
    min_new_tokens: int64.min(0).nullish(),
    no_repeat_ngram_size: int64.min(0).nullish(),
    prompt_max_tokens: int64.min(1).nullish().describe('Only this many tokens at the end of each prompt are kept'),
    return_metadata: z.boolean().nullish().describe('Token counts of each answer, and why it ended'),
    regex_string: z.string().nullish().describe('An expression that the whole answer matches'),
    repetition_penalty: z.number().gt(0).nullish(),
    sampling_temperature: z.number().min(0).nullish(),
    sampling_topk: int64.min(-1).nullish().describe('1 when left out, which is greedy; 0 or -1 = no such limit'),
    sampling_topp: z.number().gt(0).max(1).nullish(),
    use_chat_template: z.boolean().nullish(),
  })
  .meta({ id: 'GenerationPayload' })

const known: ReadonlySet<string> = new Set(Object.keys(payloadSchema.shape))

/** Values with the interface's defaults where the client gave none. */
export interface Parameters {
  readonly maxNewTokens: number
  readonly minNewTokens: number
  readonly noRepeatNgramSize: number
  readonly promptMaxTokens: number | null
  readonly repetitionPenalty: number
  readonly temperature: number
  /** 1 = greedy; 0 = no limit. */
  readonly topK: number
  readonly topP: number
  /** Null = as the endpoint does it. */
  readonly useChatTemplate: boolean | null
  readonly loraId: string | null
  readonly backend: string | null
}

export interface Payload {
  readonly texts: readonly string[]
  /** The client sent an array, and gets one. */
  readonly isBatch: boolean
  readonly consumerGroup: string
  readonly imagePaths: readonly string[]
  /** The answer tells its token counts, and why it ended. */
  readonly wantsMetadata: boolean
  readonly constraint: Constraint | null
  readonly parameters: Parameters
  /** The fields that the client set, as it wrote them. */
  readonly given: Readonly<Record<string, unknown>>
}

/** Checks parsed JSON. Answers 422 that names the first field at fault by throwing. */
export function readPayload(value: unknown, batchMax: number): Payload {
  if (!isObject(value)) throw refused(null, 'The payload must be a JSON object.')
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
  const texts = readTexts(given['text'], batchMax)
  const fields = validBody(payloadSchema, given)
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue
    const shown = JSON.stringify(name.slice(0, 100))
    throw new ApiError('unsupported_parameter', { param: name.slice(0, 100), message: `There is no field ${shown}.` })
  }
  const parameters = parametersOf(fields)
  if (parameters.minNewTokens > parameters.maxNewTokens)
    throw refused('min_new_tokens', '"min_new_tokens" is larger than "max_new_tokens".')
  return {
    texts,
    isBatch: Array.isArray(fields.text),
    consumerGroup: fields.consumer_group ?? 'primary',
    imagePaths: fields.image_paths ?? [],
    wantsMetadata: fields.return_metadata ?? false,
    constraint: readConstraint(fields.json_schema, fields.regex_string ?? undefined),
    parameters,
    given,
  }
}

function parametersOf(fields: z.output<typeof payloadSchema>): Parameters {
  return {
    maxNewTokens: fields.max_new_tokens ?? 128,
    minNewTokens: fields.min_new_tokens ?? 0,
    noRepeatNgramSize: fields.no_repeat_ngram_size ?? 0,
    promptMaxTokens: fields.prompt_max_tokens ?? null,
    repetitionPenalty: fields.repetition_penalty ?? 1,
    temperature: fields.sampling_temperature ?? 1,
    topK: Math.max(0, fields.sampling_topk ?? 1),
    topP: fields.sampling_topp ?? 1,
    useChatTemplate: fields.use_chat_template ?? null,
    loraId: fields.lora_id ?? null,
    backend: fields.constrained_decoding_backend ?? null,
  }
}

function readTexts(value: unknown, batchMax: number): readonly string[] {
  if (typeof value === 'string') {
    if (value === '') throw refused('text', '"text" is empty.')
    return [value]
  }
  if (!Array.isArray(value)) throw refused('text', '"text" must be a string or an array of strings.')
  if (value.length === 0) throw refused('text', '"text" is an empty array.')
  if (value.length > batchMax)
    throw refused('text', `"text" has ${value.length} prompts; at most ${batchMax} are taken.`)
  for (const [index, item] of value.entries()) {
    if (typeof item !== 'string') throw refused(`text.${index}`, `"text.${index}" must be a string.`)
    if (item === '') throw refused(`text.${index}`, `"text.${index}" is empty.`)
  }
  return value as readonly string[]
}

function refused(param: string | null, message: string): ApiError {
  return new ApiError('validation_failed', { param, message })
}
