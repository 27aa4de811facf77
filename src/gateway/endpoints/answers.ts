/**
 * The answers of the model endpoints as the OpenAPI document shows them. Providers write most of them: they may add
 * fields, and what they leave out is left out here too.
 */
import { z } from '#lib/schema.ts'

const tokens = z.int().nullish()
const usage = z
  .looseObject({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_tokens_details: z.looseObject({ cached_tokens: tokens }).nullish(),
    completion_tokens_details: z.looseObject({ reasoning_tokens: tokens }).nullish(),
  })
  .nullish()
const head = { id: z.string().optional(), created: z.int().optional(), model: z.string().optional() }
const finishReason = z.string().nullish().describe('stop, length, tool_calls or content_filter; null before the end')
const toolCall = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
})
const message = z.looseObject({
  role: z.string().nullish(),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string().optional() }))])
    .nullish()
    .describe('The text, or null when tools are called; some providers write it in parts'),
  tool_calls: z.array(toolCall).nullish(),
})

const chatCompletion = z
  .looseObject({
    ...head,
    object: z.string().optional().describe('chat.completion'),
    choices: z.array(z.looseObject({ index: z.int().optional(), message, finish_reason: finishReason })),
    usage,
    citations: z.array(z.looseObject({})).optional().describe('Where sources were looked up: what the answer cites'),
  })
  .meta({ id: 'ChatCompletion' })

const chatCompletionChunk = z
  .looseObject({
    ...head,
    object: z.string().optional().describe('chat.completion.chunk'),
    choices: z.array(
      z.looseObject({ index: z.int().optional(), delta: message.nullish(), finish_reason: finishReason }),
    ),
    usage: usage.describe('In the last chunk, where stream_options.include_usage is true'),
  })
  .meta({ id: 'ChatCompletionChunk', description: 'The stream ends with the text [DONE] in place of a chunk.' })

const completion = z
  .looseObject({
    ...head,
    object: z.string().optional().describe('text_completion'),
    choices: z.array(
      z.looseObject({ index: z.int().optional(), text: z.string().optional(), finish_reason: finishReason }),
    ),
    usage,
  })
  .meta({ id: 'Completion' })

const embeddings = z
  .looseObject({
    object: z.string().optional().describe('list'),
    model: z.string().optional(),
    data: z.array(
      z.looseObject({
        object: z.string().optional().describe('embedding'),
        index: z.int().optional(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .describe('Numbers, or with encoding_format base64 their little-endian 32-bit floats'),
      }),
    ),
    usage: z.looseObject({ prompt_tokens: tokens, total_tokens: tokens }).nullish(),
  })
  .meta({ id: 'Embeddings' })

const rerank = z
  .looseObject({
    id: z.string().optional(),
    results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number(), document: z.unknown().optional() })),
  })
  .meta({ id: 'RankedDocuments', description: 'The best first.' })

const moderation = z
  .looseObject({
    id: z.string().optional(),
    model: z.string().optional(),
    results: z.array(z.looseObject({ flagged: z.boolean() })),
  })
  .meta({ id: 'Moderation' })

const images = z
  .looseObject({
    created: z.int().optional(),
    data: z.array(z.looseObject({ b64_json: z.string().nullish(), url: z.string().nullish() })).nullish(),
    usage: z.looseObject({}).nullish(),
  })
  .meta({ id: 'Images' })

const imageEvent = z
  .looseObject({ type: z.string().optional(), b64_json: z.string().optional() })
  .meta({ id: 'ImageEvent', description: 'A picture in part, or at the end whole.' })

const transcription = z
  .looseObject({ text: z.string().optional() })
  .meta({ id: 'Transcription', description: 'As JSON; other values of response_format come as text.' })

const transcriptionEvent = z
  .looseObject({ type: z.string(), delta: z.string().optional(), text: z.string().optional() })
  .meta({ id: 'TranscriptionEvent' })

const responseObject = z
  .looseObject({
    id: z.string(),
    object: z.string().describe('response'),
    status: z.string().optional().describe('completed, incomplete, failed, cancelled, queued or in_progress'),
    model: z.string().optional(),
    output: z.array(z.looseObject({ type: z.string() })),
    error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
    usage: z.looseObject({ input_tokens: tokens, output_tokens: tokens, total_tokens: tokens }).nullish(),
  })
  .meta({ id: 'Response' })

const responseEvent = z
  .looseObject({ type: z.string(), sequence_number: z.int().optional(), response: responseObject.optional() })
  .meta({ id: 'ResponseEvent', description: 'Each has its type as the name of the event, too.' })

const messageUsage = z.looseObject({ input_tokens: tokens, output_tokens: tokens }).optional()
const messageAnswer = z
  .looseObject({
    id: z.string().optional(),
    type: z.string().describe('message'),
    role: z.string().optional(),
    model: z.string().optional(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullish(),
    usage: messageUsage,
  })
  .meta({ id: 'Message' })

const messageEvent = z
  .looseObject({
    type: z.string(),
    index: z.int().optional(),
    delta: z.looseObject({}).optional(),
    usage: messageUsage,
  })
  .meta({ id: 'MessageEvent', description: 'Each has its type as the name of the event, too.' })

/** The form of each answer, whole and as the data of an event, by what the request asks for. */
export const answers = {
  chatCompletion: { answer: chatCompletion, events: chatCompletionChunk },
  completion: { answer: completion, events: completion },
  embeddings: { answer: embeddings },
  rerank: { answer: rerank },
  moderation: { answer: moderation },
  images: { answer: images, events: imageEvent },
  transcription: { answer: transcription, events: transcriptionEvent, media: ['text/*'] },
  speech: { media: ['audio/*'], events: z.looseObject({ type: z.string() }) },
  responses: { answer: responseObject, events: responseEvent },
  compaction: { answer: z.looseObject({ id: z.string(), output: z.array(z.looseObject({ type: z.string() })) }) },
  inputTokens: { answer: z.looseObject({ input_tokens: z.int() }) },
  inputItems: { answer: z.looseObject({ object: z.string().describe('list'), data: z.array(z.looseObject({})) }) },
  deleted: { answer: z.looseObject({ id: z.string(), object: z.string().optional(), deleted: z.boolean() }) },
  messages: { answer: messageAnswer, events: messageEvent },
} as const

/** Errors in the words of Anthropic's clients. */
export const anthropicError = z
  .object({
    type: z.literal('error'),
    error: z.looseObject({
      type: z.string(),
      message: z.string(),
      details: z.looseObject({ error_code: z.string() }).nullable().describe('error_code: stable, for programs'),
    }),
    request_id: z.string().optional(),
  })
  .meta({ id: 'AnthropicError' })

/** Errors in the words of Cohere's clients. */
export const cohereError = z
  .object({ id: z.string(), message: z.string(), code: z.string().nullable().describe('Stable, for programs') })
  .meta({ id: 'CohereError' })
