/**
 * Checks the JSON bodies that the practice provider takes. Fields that it does not know are accepted
 * and ignored; null equals absent.
 * Shapes: https://platform.openai.com/docs/api-reference
 */
import { z } from '#lib/schema.ts'
import { jsonBodyOf } from '#lib/bounded-json.ts'
import { faultSentence, firstFault } from '#lib/schema-fault.ts'
import { DemoProblem } from './problem.ts'

const part = z
  .looseObject({
    type: z.string(),
    text: z.string().nullish(),
    image_url: z.looseObject({ url: z.string() }).nullish(),
  })
  .refine((value) => value.type !== 'text' || typeof value.text === 'string', 'expected "text" beside the type "text"')
  .refine(
    (value) => value.type !== 'image_url' || !!value.image_url,
    'expected "image_url" beside the type "image_url"',
  )

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(z.looseObject({})).nullish(),
})

const responseFormat = z.looseObject({
  type: z.string(),
  json_schema: z.looseObject({ name: z.string().nullish(), schema: z.unknown().optional() }).nullish(),
})

/** What chat completions and completions have in common. */
const sampling = {
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  n: z.int().min(1).max(8).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  response_format: responseFormat.nullish(),
}

const chatBody = z.looseObject({
  ...sampling,
  messages: z.array(message).min(1),
  max_completion_tokens: z.int().min(1).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }).nullish(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string() }).nullish() })])
    .nullish(),
})

const tokenIds = z.array(z.int().min(0)).min(1)

const completionBody = z.looseObject({
  ...sampling,
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(128), tokenIds, z.array(tokenIds).min(1).max(128)]),
  echo: z.boolean().nullish(),
})

const embeddingBody = z.looseObject({
  model: z.string(),
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(2048),
    tokenIds,
    z.array(tokenIds).min(1).max(2048),
  ]),
  dimensions: z.int().min(8).max(3072).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

export type ChatRequest = z.infer<typeof chatBody>
export type ChatMessage = z.infer<typeof message>
export type CompletionRequest = z.infer<typeof completionBody>
export type EmbeddingRequest = z.infer<typeof embeddingBody>
export type SamplingRequest = Pick<ChatRequest, keyof typeof sampling>
/** Text, or token ids that stand for text; one or many. */
export type TextInput = CompletionRequest['prompt']

/** The body of a chat completion; throws a DemoProblem that names the first field at fault. */
export function readChatRequest(body: Uint8Array): ChatRequest {
  return checked(chatBody, body)
}

/** The body of a completion; throws like `readChatRequest`. */
export function readCompletionRequest(body: Uint8Array): CompletionRequest {
  return checked(completionBody, body)
}

/** The body of an embeddings call; throws like `readChatRequest`. */
export function readEmbeddingRequest(body: Uint8Array): EmbeddingRequest {
  return checked(embeddingBody, body)
}

/** The text of a message: its text parts, one per line. */
export function textOfMessage({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n')
}

function checked<T>(schema: z.ZodType<T>, body: Uint8Array): T {
  const read = jsonBodyOf(body)
  if ('problem' in read) throw new DemoProblem(read.problem)
  const result = schema.safeParse(read.value)
  if (result.success) return result.data
  const fault = firstFault(result.error)
  throw new DemoProblem(faultSentence(fault, 'The body'), fault.param)
}
