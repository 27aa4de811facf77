/**
 * Checks the bodies of chat completions and embeddings as far as they are translated. Null equals
 * absent; fields that are not known here are accepted, and what they say is lost.
 * Shapes: https://platform.openai.com/docs/api-reference/chat/create
 */
import { z } from '#lib/schema.ts'
import { jsonBodyOf } from '#lib/bounded-json.ts'
import { faultSentence, firstFault } from '#lib/schema-fault.ts'
import { Problem } from './problem.ts'

const part = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
  image_url: z.looseObject({ url: z.string() }).nullish(),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }).nullish(),
  file: z
    .looseObject({ file_data: z.string().nullish(), file_id: z.string().nullish(), filename: z.string().nullish() })
    .nullish(),
})

/** What a vendor says about a piece of its answer and wants back with it, by the vendor's name. */
const extraContent = z.record(z.string(), z.record(z.string(), z.unknown()))

const toolCall = z.looseObject({
  id: z.string(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
  extra_content: extraContent.nullish(),
})

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().nullish(),
  reasoning_details: z
    .array(z.looseObject({ text: z.string().nullish(), extra_content: extraContent.nullish() }))
    .nullish(),
})

const tool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    })
    .nullish(),
})

const jsonSchema = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})

const chatBody = z.looseObject({
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string() }).nullish() }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({ type: z.enum(['text', 'json_object', 'json_schema']), json_schema: jsonSchema.nullish() })
    .nullish(),
  user: z.string().nullish(),
})

const embeddingBody = z.looseObject({
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048)]),
  dimensions: z.int().min(1).nullish(),
  input_type: z.string().max(100).nullish(),
  task_type: z.string().max(100).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

export type ChatRequest = z.infer<typeof chatBody>
export type ChatMessage = z.infer<typeof message>
export type ContentPart = z.infer<typeof part>
export type EmbeddingRequest = z.infer<typeof embeddingBody>

/** The body of a chat completion; throws a Problem that names the first field at fault. */
export function readChatRequest(body: Uint8Array): ChatRequest {
  return checked(chatBody, body)
}

/** The body of an embeddings call; throws like `readChatRequest`. */
export function readEmbeddingRequest(body: Uint8Array): EmbeddingRequest {
  return checked(embeddingBody, body)
}

function checked<T>(schema: z.ZodType<T>, body: Uint8Array): T {
  const read = jsonBodyOf(body)
  if ('problem' in read) throw new Problem(read.problem)
  const result = schema.safeParse(read.value)
  if (result.success) return result.data
  const fault = firstFault(result.error)
  throw new Problem(faultSentence(fault, 'The body'), fault.param)
}
