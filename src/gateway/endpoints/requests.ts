/**
 * The bodies of the model endpoints as the OpenAPI document shows them. The handlers check less: what
 * a field means is the provider's to judge, and its fields change faster than this list.
 */
import { z } from '#lib/schema.ts'
import { askedModes } from '#store/documents/search/asked-modes.ts'
import { maxTokensMax, topKMax, windowMax } from '../request/documents-field.ts'

const model = z.string().describe('A model name or alias')
const stream = z.boolean().nullish().describe('true: the answer comes as server-sent events')
const streamOptions = z.looseObject({ include_usage: z.boolean().optional() }).nullish()
const texts = z.union([z.string(), z.array(z.unknown()).min(1)])
const textOrTexts = z.union([z.string(), z.array(z.string()).min(1)]).nullish()
const documents = z
  .strictObject({
    category: textOrTexts,
    owners: textOrTexts,
    doc_id: textOrTexts,
    top_k: z.int().min(1).max(topKMax).nullish().describe('Most sources; 6 when left out'),
    mode: z.enum(askedModes).nullish().describe('auto when left out'),
    window: z
      .union([z.int().min(0).max(windowMax), z.literal('section')])
      .nullish()
      .describe('Neighbouring passages of each source, or the text under its heading'),
    max_per_document: z.int().min(1).max(topKMax).nullish().describe('Most sources of one document'),
    rewrite: z
      .union([z.boolean(), z.object({ model: z.string() })])
      .nullish()
      .describe('Let a model write, from the conversation, what is searched for; `retrieval` of the answer tells it'),
    max_tokens: z.int().min(1).max(maxTokensMax).nullish().describe('Most tokens of all sources together'),
  })
  .describe(
    'Looks up the last user message in the documents of the caller and answers with numbered sources, which come back as `citations`. Of the server itself: it does not go to the model provider.',
  )
const file = z.string().meta({ format: 'binary' })
const passedOn = 'Fields that are not listed go to the model provider unchanged.'
const form = `A multipart/form-data body. It is passed on as it arrives when \`model\` is its first field. ${passedOn}`

/** The schema of each body, by what the request asks for. */
export const requests = {
  chatCompletion: z
    .looseObject({
      model,
      messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).min(1),
      stream,
      stream_options: streamOptions,
      documents: z.union([documents, z.array(z.unknown())]).nullish(),
    })
    .meta({ id: 'ChatCompletionRequest', description: passedOn }),
  completion: z
    .looseObject({
      model,
      prompt: texts.nullish(),
      suffix: z.string().nullish().describe('What comes after the text, for models that fill in the middle'),
      stream,
      stream_options: streamOptions,
    })
    .meta({ id: 'CompletionRequest', description: passedOn }),
  embeddings: z
    .looseObject({ model, input: texts.describe('A text, texts, or tokens') })
    .meta({ id: 'EmbeddingsRequest', description: passedOn }),
  rerank: z
    .looseObject({ model, query: z.unknown(), documents: z.array(z.unknown()), top_n: z.int().nullish() })
    .meta({ id: 'RerankRequest', description: passedOn }),
  moderation: z
    .looseObject({ model: model.nullish().describe('omni-moderation-latest when left out'), input: texts })
    .meta({ id: 'ModerationRequest', description: passedOn }),
  imageGeneration: z
    .looseObject({ model, prompt: z.string().min(1), stream })
    .meta({ id: 'ImageGenerationRequest', description: passedOn }),
  imageEdit: z
    .looseObject({ model, image: file, prompt: z.string() })
    .meta({ id: 'ImageEditRequest', description: form }),
  imageVariation: z.looseObject({ model, image: file }).meta({ id: 'ImageVariationRequest', description: form }),
  transcription: z.looseObject({ model, file }).meta({ id: 'TranscriptionRequest', description: form }),
  translation: z.looseObject({ model, file }).meta({ id: 'TranslationRequest', description: form }),
  speech: z
    .looseObject({ model, input: z.string().min(1), voice: z.unknown().optional() })
    .meta({ id: 'SpeechRequest', description: passedOn }),
  responses: z
    .looseObject({ model, input: z.unknown(), instructions: z.string().nullish(), stream })
    .meta({ id: 'ResponsesRequest', description: passedOn }),
  messages: z
    .looseObject({ model, max_tokens: z.int().optional(), messages: z.array(z.looseObject({})), stream })
    .meta({ id: 'MessagesRequest', description: passedOn }),
} as const
