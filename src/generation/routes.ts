/** The four routes of the generation interface. */
import { z } from '#lib/schema.ts'
import { modelErrors, type ErrorCode } from '#errors/catalogue.ts'
import type { Route, RouteDocs } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { generate } from './generate.ts'
import type { Generation } from './generation.ts'
import type { GenerationEndpoint } from './model-session.ts'
import { payloadSchema } from './request/payload.ts'

const form = z
  .object({
    image_data: z
      .string()
      .meta({ format: 'binary' })
      .describe('One PNG, JPEG, WebP, GIF, BMP or TIFF file; its bytes decide'),
    json_data: payloadSchema,
  })
  .meta({ id: 'ImageGenerationForm', description: 'The parts may come in either order.' })

const metadata = z
  .object({
    prompt_tokens: z.int().nullable().describe('Null when the provider does not tell'),
    completion_tokens: z.int().nullable(),
    finish_reason: z.enum(['stop', 'length']),
  })
  .meta({ id: 'GenerationMetadata' })

const answer = z
  .object({
    text: z.union([z.string(), z.array(z.string())]).describe('An array when the request has one, in its order'),
    incomplete: z
      .union([z.boolean(), z.array(z.boolean())])
      .optional()
      .describe('Only when an answer had to have a form and ran out of tokens before its end'),
    metadata: z
      .union([metadata, z.array(metadata)])
      .optional()
      .describe('Only with return_metadata'),
  })
  .meta({ id: 'GeneratedText' })

const errors: readonly ErrorCode[] = [
  'invalid_json',
  'too_many_images',
  'upstream_rejected',
  'model_access_denied',
  'realtime_denied',
  'origin_denied',
  'consumer_group_not_found',
  'body_timeout',
  'request_too_large',
  'image_too_large',
  'unsupported_media_type',
  'validation_failed',
  'invalid_json_schema',
  'invalid_regex',
  'invalid_image_path',
  'unsupported_parameter',
  ...modelErrors,
]
const imageErrors: readonly ErrorCode[] = ['invalid_multipart', 'unsupported_image', 'missing_image', 'invalid_image']

const streamText =
  'Each event is `{"text", "batch_id"}`; `batch_id` is the index of the prompt. The texts of one prompt come in order, those of several are interleaved. A prompt that fails after the head has gone out is told by an event named `error`. The stream ends with the body, without a terminator.'

const event = z
  .object({
    text: z.string(),
    batch_id: z.int(),
    incomplete: z.boolean().optional(),
    metadata: metadata.optional().describe('In the last event of a prompt, with return_metadata'),
  })
  .meta({ id: 'GeneratedToken' })

const endpoints: Readonly<Record<GenerationEndpoint, Pick<RouteDocs, 'summary' | 'description' | 'operation'>>> = {
  generate: { operation: 'generate', summary: 'Answer one or several prompts at once' },
  generate_stream: {
    operation: 'generateStream',
    summary: 'Answer one or several prompts token by token',
    description: streamText,
  },
  image_generate: { operation: 'imageGenerate', summary: 'Answer one or several prompts about an image at once' },
  image_generate_stream: {
    operation: 'imageGenerateStream',
    summary: 'Answer one or several prompts about an image token by token',
    description: streamText,
  },
}

/** Rows of the route table. */
export function generationRoutes(generation: Generation): readonly Route<Caller>[] {
  return Object.entries(endpoints).map(([name, docs]) => {
    const endpoint = name as GenerationEndpoint
    const isForm = endpoint.startsWith('image_')
    return {
      method: 'POST',
      path: `/${endpoint}`,
      access: 'generation',
      docs: {
        tag: 'Generation',
        ...docs,
        ...(isForm ? { body: form, bodyType: 'multipart/form-data' as const } : { body: payloadSchema }),
        ...(endpoint.endsWith('_stream') ? { events: event } : { answer }),
        errors: isForm ? [...errors, ...imageErrors] : errors,
      },
      handle: (context, caller) => generate(generation, context, caller, endpoint),
    }
  })
}
