/**
 * What embedding models were trained with: data, one row for each family, the first that fits a name.
 * A model that is asked without it answers with vectors that look right and find less.
 */

/** Fields of a request that say what its texts are. */
export const taskFields = ['input_type', 'task_type', 'task', 'prompt_name'] as const

export type TaskFields = Partial<Readonly<Record<(typeof taskFields)[number], string>>>

export interface KnownEmbeddingModel {
  /** As the page of the docs calls it. */
  readonly family: string
  /** Fits the provider's name of the model, in any case. */
  readonly pattern: RegExp
  /** Put before each question, and before each passage. */
  readonly queryPrefix?: string
  readonly passagePrefix?: string
  /** Sent with questions, and with passages. */
  readonly queryFields?: TaskFields
  readonly passageFields?: TaskFields
  /** The kinds of providers that know these fields; all when left out. */
  readonly fieldsFor?: readonly string[]
  /** Lengths of vectors that it was trained for; `fixed` has one, and what is left out is not known. */
  readonly dimensions?: Dimensions
  /** Which field asks for another length; `cut`: its beginning is taken here, as these models are trained for. */
  readonly shortenedBy?: Shortening
  /** Longest text. */
  readonly maxTokens?: number
}

export type Dimensions = 'fixed' | readonly number[] | { readonly min: number; readonly max: number }
export type Shortening = 'dimensions' | 'output_dimension' | 'cut'

const webSearch = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\n'
const represent = 'Represent this sentence for searching relevant passages: '
const gemmaForm = { queryPrefix: 'task: search result | query: ', passagePrefix: 'title: none | text: ' }
const cohereForm = {
  queryFields: { input_type: 'search_query' },
  passageFields: { input_type: 'search_document' },
  fieldsFor: ['cohere', 'bedrock'],
}
const geminiForm = {
  queryFields: { task_type: 'RETRIEVAL_QUERY' },
  passageFields: { task_type: 'RETRIEVAL_DOCUMENT' },
  fieldsFor: ['google'],
}
const voyageForm = { queryFields: { input_type: 'query' }, passageFields: { input_type: 'document' } }

export const knownEmbeddingModels: readonly KnownEmbeddingModel[] = [
  // https://huggingface.co/intfloat/multilingual-e5-large-instruct
  {
    family: 'multilingual-e5-large-instruct',
    pattern: /\bmultilingual-e5-large-instruct/i,
    queryPrefix: `${webSearch}Query: `,
    dimensions: 'fixed',
    maxTokens: 512,
  },
  // https://huggingface.co/intfloat/e5-mistral-7b-instruct
  {
    family: 'e5-mistral-7b-instruct',
    pattern: /\be5-mistral-7b-instruct/i,
    queryPrefix: `${webSearch}Query: `,
    dimensions: 'fixed',
    maxTokens: 4096,
  },
  // https://huggingface.co/intfloat/multilingual-e5-large, https://huggingface.co/intfloat/e5-large-v2
  {
    family: 'e5, multilingual-e5',
    pattern: /\be5-(?:small|base|large)/i,
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    dimensions: 'fixed',
    maxTokens: 512,
  },
  // https://huggingface.co/BAAI/bge-large-en-v1.5
  {
    family: 'bge-*-en',
    pattern: /\bbge-(?:small|base|large)-en\b/i,
    queryPrefix: represent,
    dimensions: 'fixed',
    maxTokens: 512,
  },
  // https://huggingface.co/BAAI/bge-large-zh-v1.5
  {
    family: 'bge-*-zh',
    pattern: /\bbge-(?:small|base|large)-zh\b/i,
    queryPrefix: '为这个句子生成表示以用于检索相关文章：',
    dimensions: 'fixed',
    maxTokens: 512,
  },
  // https://huggingface.co/BAAI/bge-m3
  { family: 'bge-m3', pattern: /\bbge-m3\b/i, dimensions: 'fixed', maxTokens: 8192 },
  // https://huggingface.co/Alibaba-NLP/gte-Qwen2-7B-instruct
  {
    family: 'gte-Qwen2-instruct',
    pattern: /\bgte-qwen2-[\d.]+b-instruct/i,
    queryPrefix: `${webSearch}Query: `,
    dimensions: 'fixed',
    maxTokens: 32_000,
  },
  // https://huggingface.co/Alibaba-NLP/gte-multilingual-base
  {
    family: 'gte-multilingual-base',
    pattern: /\bgte-multilingual-base/i,
    dimensions: { min: 128, max: 768 },
    shortenedBy: 'cut',
    maxTokens: 8192,
  },
  // https://huggingface.co/Alibaba-NLP/gte-large-en-v1.5
  {
    family: 'gte-*-en-v1.5',
    pattern: /\bgte-(?:base|large)-en-v1\.5/i,
    dimensions: 'fixed',
    maxTokens: 8192,
  },
  // https://huggingface.co/thenlper/gte-large
  { family: 'gte', pattern: /\bgte-(?:small|base|large)$/i, dimensions: 'fixed', maxTokens: 512 },
  // https://huggingface.co/nomic-ai/nomic-embed-text-v2-moe
  {
    family: 'nomic-embed-text-v2-moe',
    pattern: /\bnomic-embed-text-v2/i,
    queryPrefix: 'search_query: ',
    passagePrefix: 'search_document: ',
    dimensions: { min: 256, max: 768 },
    shortenedBy: 'cut',
    maxTokens: 512,
  },
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1
  {
    family: 'nomic-embed-text-v1',
    pattern: /\bnomic-embed-text-v1(?!\.5)/i,
    queryPrefix: 'search_query: ',
    passagePrefix: 'search_document: ',
    dimensions: 'fixed',
    maxTokens: 8192,
  },
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
  {
    family: 'nomic-embed-text-v1.5',
    pattern: /\bnomic-embed-text/i,
    queryPrefix: 'search_query: ',
    passagePrefix: 'search_document: ',
    dimensions: { min: 64, max: 768 },
    shortenedBy: 'cut',
    maxTokens: 8192,
  },
  // https://huggingface.co/Qwen/Qwen3-Embedding-0.6B; the card writes no space after "Query:".
  ...(
    [
      ['0.6b', 1024],
      ['4b', 2560],
      ['8b', 4096],
    ] as const
  ).map(([size, max]) => ({
    family: `Qwen3-Embedding-${size.toUpperCase()}`,
    pattern: new RegExp(String.raw`\bqwen3-embedding[-:_]${size.replace('.', String.raw`\.`)}`, 'i'),
    queryPrefix: `${webSearch}Query:`,
    dimensions: { min: 32, max },
    shortenedBy: 'cut' as const,
    maxTokens: 32_768,
  })),
  {
    family: 'Qwen3-Embedding, size not in the name',
    pattern: /\bqwen3-embedding/i,
    queryPrefix: `${webSearch}Query:`,
    dimensions: { min: 32, max: 4096 },
    shortenedBy: 'cut',
    maxTokens: 32_768,
  },
  // https://ai.google.dev/gemma/docs/embeddinggemma/model_card
  {
    family: 'embeddinggemma',
    pattern: /\bembeddinggemma/i,
    ...gemmaForm,
    dimensions: [128, 256, 512, 768],
    shortenedBy: 'cut',
    maxTokens: 2048,
  },
  // https://jina.ai/news/jina-embeddings-v3-a-frontier-multilingual-embedding-model
  {
    family: 'jina-embeddings-v3',
    pattern: /\bjina-embeddings-v3/i,
    queryFields: { task: 'retrieval.query' },
    passageFields: { task: 'retrieval.passage' },
    dimensions: { min: 32, max: 1024 },
    shortenedBy: 'cut',
    maxTokens: 8192,
  },
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
  {
    family: 'mxbai-embed-large-v1',
    pattern: /\bmxbai-embed-large/i,
    queryPrefix: represent,
    dimensions: { min: 128, max: 1024 },
    shortenedBy: 'cut',
    maxTokens: 512,
  },
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0
  {
    family: 'snowflake-arctic-embed v2.0',
    pattern: /\b(?:snowflake-)?arctic-embed(?:-[lm]-v2|2)/i,
    queryPrefix: 'query: ',
    maxTokens: 8192,
  },
  // https://docs.cohere.com/docs/cohere-embed
  {
    family: 'Cohere embed v4',
    pattern: /\bembed-v4/i,
    ...cohereForm,
    dimensions: [256, 512, 1024, 1536],
    maxTokens: 128_000,
  },
  {
    family: 'Cohere embed v3',
    pattern: /\bembed-(?:english|multilingual)-(?:light-)?v3/i,
    ...cohereForm,
    dimensions: 'fixed',
  },
  // https://ai.google.dev/gemini-api/docs/embeddings; the second takes its task as text.
  { family: 'gemini-embedding-2', pattern: /\bgemini-embedding-2/i, ...gemmaForm },
  {
    family: 'gemini-embedding-001',
    pattern: /\bgemini-embedding-(?:001|exp)/i,
    ...geminiForm,
    dimensions: { min: 128, max: 3072 },
    maxTokens: 2048,
  },
  // https://docs.voyageai.com/docs/embeddings, https://docs.voyageai.com/reference/embeddings-api
  {
    family: 'voyage-3-large, voyage-3.5, voyage-3.5-lite, voyage-code-3',
    pattern: /\bvoyage-(?:3-large|3\.5|code-3)/i,
    ...voyageForm,
    dimensions: [256, 512, 1024, 2048],
    shortenedBy: 'output_dimension',
    maxTokens: 32_000,
  },
  { family: 'voyage, older', pattern: /\bvoyage-(?:[23]|\w+-2)\b/i, ...voyageForm, dimensions: 'fixed' },
  // https://platform.openai.com/docs/guides/embeddings
  {
    family: 'text-embedding-3-small',
    pattern: /\btext-embedding-3-small/i,
    dimensions: { min: 1, max: 1536 },
    maxTokens: 8192,
  },
  {
    family: 'text-embedding-3-large',
    pattern: /\btext-embedding-3-large/i,
    dimensions: { min: 1, max: 3072 },
    maxTokens: 8192,
  },
]

/** The row of a model, or null when there is none. */
export function knownEmbeddingModel(name: string): KnownEmbeddingModel | null {
  return knownEmbeddingModels.find(({ pattern }) => pattern.test(name)) ?? null
}
