/**
 * What a provider's own description of a model says that it can do. Servers write it in many ways: as an entry of
 * `GET /models`, or in an answer of their own about one model. Fields and words are from their documentation:
 * OpenRouter https://openrouter.ai/docs/models, Ollama https://docs.ollama.com/api/show,
 * LM Studio https://lmstudio.ai/docs/api/rest-api, Google https://ai.google.dev/api/models,
 * Mistral https://docs.mistral.ai/api, Cohere https://docs.cohere.com/reference/list-models,
 * Groq https://console.groq.com/docs/models, Together https://docs.together.ai/reference/models-1.
 */
import type { ModelCapabilities } from '#catalog/records.ts'
import { isObject } from '#lib/json-value.ts'

/** What is absent is unknown. */
export interface ModelFacts {
  /** Tokens, at least 1. */
  readonly contextLength?: number
  readonly capabilities?: ModelCapabilities
}

type Entry = Readonly<Record<string, unknown>>

/** Fields with the longest context, in tokens; the first that is there is right. */
const contextFields = [
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'inputTokenLimit',
  'max_input_tokens',
]

/** Words of any server for an endpoint of ours. */
const endpointWords: Readonly<Record<string, readonly string[]>> = {
  'chat/completions': ['chat', 'llm', 'vlm', 'completion', 'completion_chat', 'generatecontent'],
  completions: ['language'],
  embeddings: ['embedding', 'embeddings', 'embed', 'embedcontent'],
  rerank: ['rerank', 'reranker'],
  moderations: ['moderation'],
  'images/generations': ['image'],
  'audio/transcriptions': ['transcribe', 'transcription', 'audio_transcription'],
}
const toolWords = ['tools', 'tool_use', 'function_calling']
const schemaWords = ['structured_outputs', 'json_schema']
const reasoningWords = ['reasoning', 'thinking']
const visionWords = ['vision', 'vlm', 'image_input']

/** The facts in one description. Reads what it knows and passes over everything else. */
export function factsOf(entry: Entry): ModelFacts {
  const contextLength = contextLengthOf(entry)
  const capabilities = capabilitiesOf(entry)
  return {
    ...(contextLength !== null && { contextLength }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  }
}

function contextLengthOf(entry: Entry): number | null {
  const [meta, info] = [objectAt(entry, 'meta'), objectAt(entry, 'model_info')]
  const candidates = [
    ...contextFields.map((name) => entry[name]),
    // llama.cpp, and Ollama, which puts the architecture's name before it.
    meta['n_ctx_train'],
    ...Object.keys(info)
      .filter((name) => name.endsWith('.context_length'))
      .map((name) => info[name]),
  ]
  return candidates.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0) ?? null
}

function capabilitiesOf(entry: Entry): ModelCapabilities {
  const architecture = objectAt(entry, 'architecture')
  const inputs = wordsIn(architecture['input_modalities'])
  const abilities = wordsIn(entry['capabilities'])
  const kind = wordsIn(typeof entry['type'] === 'string' ? [entry['type']] : [])
  const does = new Set([
    ...abilities,
    ...kind,
    ...['endpoints', 'features', 'supportedGenerationMethods', 'supported_parameters'].flatMap((name) =>
      wordsIn(entry[name]),
    ),
    ...(entry['thinking'] === true ? ['thinking'] : []),
    ...wordsIn(architecture['output_modalities']).flatMap((word) => (word === 'text' ? ['chat'] : [])),
  ])
  const has = (words: readonly string[]): boolean => words.some((word) => does.has(word))
  const endpoints = Object.keys(endpointWords).filter((endpoint) => has(endpointWords[endpoint] ?? []))
  const sees = inputs.includes('image') || has(visionWords)
  // A server that lists inputs or abilities lists all of them.
  const input = sees
    ? ['text', 'image']
    : inputs.length > 0 || abilities.length > 0 || kind.includes('llm')
      ? ['text']
      : []
  return {
    ...(endpoints.length > 0 && { endpoints }),
    ...(input.length > 0 && { input }),
    ...(has(toolWords) && { tools: true }),
    ...(has(schemaWords) && { jsonSchema: true }),
    ...(has(reasoningWords) && { reasoning: true }),
  }
}

/** Words of a list, or the names of an object's fields that are true or `{ "supported": true }`; in small letters. */
function wordsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((word) => typeof word === 'string').map((word) => word.toLowerCase())
  if (!isObject(value)) return []
  const isOn = (flag: unknown): boolean => flag === true || (isObject(flag) && flag['supported'] === true)
  return Object.keys(value).filter((name) => isOn(value[name]))
}

function objectAt(entry: Entry, name: string): Entry {
  const value = entry[name]
  return isObject(value) ? value : {}
}
