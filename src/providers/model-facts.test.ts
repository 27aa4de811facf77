import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { factsOf } from './model-facts.ts'

/** Entries in the forms of their servers, and what is read from them. */
const entries: Readonly<Record<string, readonly [entry: Record<string, unknown>, facts: object]>> = {
  OpenAI: [{ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'system' }, {}],
  vLLM: [{ id: 'm', owned_by: 'vllm', root: 'm', max_model_len: 32_768 }, { contextLength: 32_768 }],
  'llama.cpp': [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 8192, n_params: 1 } }, { contextLength: 8192 }],
  Groq: [{ id: 'm', active: true, context_window: 131_072 }, { contextLength: 131_072 }],
  OpenRouter: [
    {
      id: 'vendor/m',
      context_length: 1_000_000,
      architecture: { input_modalities: ['image', 'text', 'file'], output_modalities: ['text'], tokenizer: 'GPT' },
      supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning', 'structured_outputs'],
    },
    {
      contextLength: 1_000_000,
      capabilities: {
        endpoints: ['chat/completions'],
        input: ['text', 'image'],
        tools: true,
        jsonSchema: true,
        reasoning: true,
      },
    },
  ],
  'OpenRouter, text only': [
    { id: 'm', architecture: { input_modalities: ['text'], output_modalities: ['text'] }, supported_parameters: [] },
    { capabilities: { endpoints: ['chat/completions'], input: ['text'] } },
  ],
  'Ollama, shown': [
    {
      model_info: { 'general.architecture': 'gemma3', 'gemma3.context_length': 131_072, 'gemma3.block_count': 34 },
      capabilities: ['completion', 'vision', 'tools', 'thinking'],
    },
    {
      contextLength: 131_072,
      capabilities: { endpoints: ['chat/completions'], input: ['text', 'image'], tools: true, reasoning: true },
    },
  ],
  'Ollama, an embedder': [
    { model_info: { 'nomic-bert.context_length': 2048 }, capabilities: ['embedding'] },
    { contextLength: 2048, capabilities: { endpoints: ['embeddings'], input: ['text'] } },
  ],
  'LM Studio': [
    { id: 'm', type: 'vlm', max_context_length: 32_768, state: 'not-loaded', capabilities: ['tool_use'] },
    {
      contextLength: 32_768,
      capabilities: { endpoints: ['chat/completions'], input: ['text', 'image'], tools: true },
    },
  ],
  Together: [
    { id: 'm', type: 'rerank', context_length: 8192 },
    { contextLength: 8192, capabilities: { endpoints: ['rerank'] } },
  ],
  Google: [
    {
      name: 'models/m',
      inputTokenLimit: 1_048_576,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      thinking: true,
    },
    { contextLength: 1_048_576, capabilities: { endpoints: ['chat/completions'], reasoning: true } },
  ],
  Mistral: [
    {
      id: 'm',
      max_context_length: 131_072,
      capabilities: { completion_chat: true, function_calling: true, vision: false, completion_fim: false },
    },
    { contextLength: 131_072, capabilities: { endpoints: ['chat/completions'], input: ['text'], tools: true } },
  ],
  Cohere: [
    { name: 'm', endpoints: ['embed', 'classify'], context_length: 512 },
    { contextLength: 512, capabilities: { endpoints: ['embeddings'] } },
  ],
  Anthropic: [
    {
      id: 'm',
      max_input_tokens: 200_000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true }, batch: { supported: false } },
    },
    { contextLength: 200_000, capabilities: { input: ['text', 'image'], reasoning: true } },
  ],
  'nonsense in every field': [
    { id: 'm', context_length: -1, max_model_len: '4096', meta: [], architecture: 'x', capabilities: 5, type: {} },
    {},
  ],
}

test.each(Object.entries(entries))('%s', (_, [entry, facts]) => {
  const found: object = factsOf(entry)
  expect(found).toEqual(facts)
})

test('any entry is read, and every length is a count of tokens', () => {
  const names = Object.values(entries).flatMap(([entry]) => Object.keys(entry))
  const entry = fc.dictionary(fc.constantFrom(...names), fc.jsonValue())
  fc.assert(
    fc.property(entry, (each) => {
      const { contextLength = 1 } = factsOf(each)
      return Number.isSafeInteger(contextLength) && contextLength > 0
    }),
  )
})
