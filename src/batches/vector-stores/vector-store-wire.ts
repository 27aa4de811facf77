/**
 * Vector stores, their files and batches as OpenAI's API writes them.
 * Shapes: https://platform.openai.com/docs/api-reference/vector-stores
 */
import { z } from '#lib/schema.ts'
import type {
  FileStatus,
  StoreBatch,
  StoreCounts,
  StoreFile,
  VectorStoreRecord,
} from '#store/batches/vector-store-records.ts'
import { fileStatuses } from '#store/batches/vector-store-records.ts'
import { secondsOf } from '../files/files.ts'
import { expiresAt, isExpired } from './vector-stores.ts'

const metadata = z.record(z.string().min(1).max(64), z.string().max(512)).refine(hasFew, 'expected at most 16 keys')
const attributes = z
  .record(z.string().min(1).max(64), z.union([z.string().max(512), z.number(), z.boolean()]))
  .refine(hasFew, 'expected at most 16 keys')
  .nullable()
const chunking = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auto') }),
  z.object({
    type: z.literal('static'),
    static: z
      .object({
        max_chunk_size_tokens: z.int('expected a whole number from 100 to 4096').min(100).max(4096),
        chunk_overlap_tokens: z.int('expected a whole number, 0 or more').min(0),
      })
      .refine(
        ({ max_chunk_size_tokens: most, chunk_overlap_tokens: overlap }) => 2 * overlap <= most,
        'expected an overlap of at most half of a chunk',
      ),
  }),
])
const expiresAfter = z.object({
  anchor: z.literal('last_active_at'),
  days: z.int('expected a whole number from 1 to 365').min(1).max(365),
})
const name = z.string().max(256)
const fileId = z.string().min(1).max(100)
export const filesAtOnceMax = 500

export const storeRequest = z
  .object({
    name: name.nullish(),
    description: z.string().max(1000).nullish(),
    metadata: metadata.nullish(),
    expires_after: expiresAfter.nullish(),
    file_ids: z.array(fileId).max(filesAtOnceMax).optional(),
    chunking_strategy: chunking.optional(),
  })
  .meta({ id: 'VectorStoreRequest' })

export const storeChange = z
  .object({ name: name.nullish(), metadata: metadata.nullish(), expires_after: expiresAfter.nullish() })
  .meta({ id: 'VectorStoreChange' })

export const fileRequest = z
  .object({ file_id: fileId, attributes: attributes.optional(), chunking_strategy: chunking.optional() })
  .meta({ id: 'VectorStoreFileRequest' })

export const fileChange = z.object({ attributes }).meta({ id: 'VectorStoreFileChange' })

export const batchRequest = z
  .object({
    file_ids: z.array(fileId).min(1).max(filesAtOnceMax).optional(),
    files: z.array(fileRequest).min(1).max(filesAtOnceMax).optional(),
    attributes: attributes.optional(),
    chunking_strategy: chunking.optional(),
  })
  .refine(({ file_ids: ids, files }) => (ids === undefined) !== (files === undefined), {
    message: 'expected "file_ids" or "files"',
  })
  .meta({ id: 'VectorStoreFileBatchRequest' })

const weight = z.number().min(0).max(1_000_000)
const rankingOptions = z.looseObject({
  ranker: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('auto: the rerank model of the settings, if there is one; none; or the name of a rerank model'),
  score_threshold: z.number().min(0).max(1).optional(),
  hybrid_search: z
    .object({ embedding_weight: weight, text_weight: weight })
    .refine(({ embedding_weight: a, text_weight: b }) => a + b > 0, 'expected one weight above 0')
    .nullish()
    .describe('How much meaning and words count beside each other; 0 leaves one of them out'),
})

const question = z.string().min(1).max(20_000)
export const searchRequest = z
  .object({
    query: z.union([question, z.array(question).min(1).max(10)]),
    filters: z.looseObject({ type: z.string() }).nullish(),
    max_num_results: z.int('expected a whole number from 1 to 50').min(1).max(50).default(10),
    ranking_options: rankingOptions.nullish(),
    rewrite_query: z
      .boolean()
      .optional()
      .describe('Lets the model of documents.rewrite_model write what is searched for; `search_query` has it'),
  })
  .meta({ id: 'VectorStoreSearchRequest' })

export type StaticChunking = z.output<typeof chunking>
export type FileToAdd = z.output<typeof fileRequest>

const counts = z.object({
  in_progress: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  total: z.int(),
})

export const storeAnswer = z
  .object({
    id: z.string(),
    object: z.literal('vector_store'),
    created_at: z.int(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    usage_bytes: z.int(),
    file_counts: counts,
    status: z.enum(['expired', 'in_progress', 'completed']),
    expires_after: expiresAfter.nullable(),
    expires_at: z.int().nullable(),
    last_active_at: z.int(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'VectorStore' })

export const fileAnswer = z
  .object({
    id: z.string(),
    object: z.literal('vector_store.file'),
    usage_bytes: z.int(),
    created_at: z.int(),
    vector_store_id: z.string(),
    status: z.enum(fileStatuses),
    last_error: z
      .object({ code: z.enum(['server_error', 'unsupported_file', 'invalid_file']), message: z.string() })
      .nullable(),
    chunking_strategy: z.object({
      type: z.literal('static'),
      static: z.object({ max_chunk_size_tokens: z.int(), chunk_overlap_tokens: z.int() }),
    }),
    attributes,
  })
  .meta({ id: 'VectorStoreFile' })

export const batchAnswer = z
  .object({
    id: z.string(),
    object: z.literal('vector_store.files_batch'),
    created_at: z.int(),
    vector_store_id: z.string(),
    status: z.enum(fileStatuses),
    file_counts: counts,
  })
  .meta({ id: 'VectorStoreFileBatch' })

export const searchAnswer = z
  .object({
    object: z.literal('vector_store.search_results.page'),
    search_query: z.array(z.string()),
    data: z.array(
      z.object({
        file_id: z.string(),
        filename: z.string(),
        score: z.number(),
        attributes,
        content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
      }),
    ),
    has_more: z.boolean(),
    next_page: z.string().nullable(),
  })
  .meta({ id: 'VectorStoreSearchResults' })

export const contentAnswer = z.object({
  object: z.literal('vector_store.file_content.page'),
  data: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  has_more: z.boolean(),
  next_page: z.string().nullable(),
})

export const pageQuery = z.object({
  after: z.string().optional().describe('The id of the object before the page'),
  before: z.string().optional().describe('The id of the object behind the page'),
  limit: z.string().optional().describe('1 to 100; 20 when left out'),
  order: z.enum(['asc', 'desc']).optional().describe('desc when left out: the newest first'),
})

export const filesQuery = pageQuery.extend({ filter: z.enum(fileStatuses).optional() })

export function storeOnWire(store: VectorStoreRecord, files: StoreCounts, now: number): z.output<typeof storeAnswer> {
  const ends = expiresAt(store)
  const isOver = isExpired(store, now)
  return {
    id: store.id,
    object: 'vector_store',
    created_at: secondsOf(store.createdAt),
    name: store.name,
    description: store.description,
    usage_bytes: isOver ? 0 : files.bytes,
    file_counts: countsOnWire(files),
    status: isOver ? 'expired' : files.in_progress > 0 ? 'in_progress' : 'completed',
    expires_after: store.expiresDays === null ? null : { anchor: 'last_active_at', days: store.expiresDays },
    expires_at: ends === null ? null : secondsOf(ends),
    last_active_at: secondsOf(store.lastActiveAt),
    metadata: { ...store.metadata },
  }
}

export function fileOnWire(file: StoreFile): z.output<typeof fileAnswer> {
  const { units, overlap } = file.chunking
  return {
    id: file.fileId,
    object: 'vector_store.file',
    usage_bytes: file.status === 'completed' ? file.bytes : 0,
    created_at: secondsOf(file.createdAt),
    vector_store_id: file.storeId,
    status: file.status,
    last_error: file.error && { code: errorCodes[file.error.code] ?? 'server_error', message: file.error.message },
    chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: units, chunk_overlap_tokens: overlap } },
    attributes: file.attributes && { ...file.attributes },
  }
}

export function batchOnWire(batch: StoreBatch, files: StoreCounts): z.output<typeof batchAnswer> {
  return {
    id: batch.id,
    object: 'vector_store.files_batch',
    created_at: secondsOf(batch.createdAt),
    vector_store_id: batch.storeId,
    status: statusOf(batch, files),
    file_counts: countsOnWire(files),
  }
}

/** OpenAI has three codes for what is wrong with a file. */
const errorCodes: Readonly<Record<string, 'unsupported_file' | 'invalid_file'>> = {
  unsupported_type: 'unsupported_file',
  no_text: 'invalid_file',
  encrypted: 'invalid_file',
  damaged: 'invalid_file',
  too_complex: 'invalid_file',
  too_large: 'invalid_file',
  empty: 'invalid_file',
}

function statusOf({ cancelledAt }: StoreBatch, files: StoreCounts): FileStatus {
  if (files.in_progress > 0) return 'in_progress'
  if (cancelledAt !== null) return 'cancelled'
  return files.failed > 0 && files.completed === 0 ? 'failed' : 'completed'
}

function countsOnWire({ in_progress, completed, failed, cancelled }: StoreCounts) {
  return { in_progress, completed, failed, cancelled, total: in_progress + completed + failed + cancelled }
}

function hasFew(value: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(value).length <= 16
}
