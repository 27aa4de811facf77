/** The handlers of vector stores: create, list, retrieve, update, delete, search. */
import { filterOf } from '#documents/search/metadata-filter.ts'
import { searchTextOf } from '#documents/search/rewrite.ts'
import type { z } from 'zod'
import { ApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { faultOf, firstFault } from '#lib/schema-fault.ts'
import type { StorePage, VectorStoreRecord } from '#store/batches/vector-store-records.ts'
import { limitOf, listOnWire } from '../files/file-handlers.ts'
import { newId } from '../files/files.ts'
import { addFiles } from './add-files.ts'
import { emptyStore } from './remove-files.ts'
import { searchStores } from './search-stores.ts'
import { searchRequest, storeChange, storeOnWire, storeRequest, type searchAnswer } from './vector-store-wire.ts'
import { ownStore, usableStore, type VectorStores } from './vector-stores.ts'

const bodyBytesMax = 1_048_576
const limitUsual = 20
const limitMax = 100

/** Answers 400, 403, 404, 408, 413 and 503 by throwing. */
export async function createStore(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const body = await readBody(stores, context, storeRequest)
  const now = stores.files.clock.now()
  const record: VectorStoreRecord = {
    id: newId('vs_'),
    userId: caller.account.user.id,
    name: body.name ?? null,
    description: body.description ?? null,
    metadata: body.metadata ?? {},
    expiresDays: body.expires_after?.days ?? null,
    createdAt: now,
    lastActiveAt: now,
  }
  await stores.store.insert(record)
  const files = (body.file_ids ?? []).map((id) => ({ file_id: id, chunking_strategy: body.chunking_strategy }))
  try {
    await addFiles(stores, caller, { storeId: record.id, batchId: null, files })
  } catch (thrown) {
    await deleteOne(stores, record.id)
    throw thrown
  }
  return onWire(stores, record)
}

/** Answers 400 by throwing. */
export async function listStores(stores: VectorStores, { query }: RequestContext, caller: Caller): Promise<Response> {
  const page = pageOf(query)
  const found = await stores.store.list(caller.account.user.id, { ...page, limit: page.limit + 1 })
  const now = stores.files.clock.now()
  const counts = await stores.store.counts(
    found.map(({ id }) => id),
    now,
  )
  const data = found.map((store) => storeOnWire(store, counts.get(store.id) ?? noFiles, now))
  return json(listPage(data, page))
}

export async function getStore(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  return onWire(stores, await ownStore(stores, idOf(context), caller))
}

/** Answers 400 and 404 by throwing. */
export async function updateStore(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { id } = await ownStore(stores, idOf(context), caller)
  const { name, metadata, expires_after: expiry } = await readBody(stores, context, storeChange)
  await stores.store.update(id, {
    ...(name !== undefined && { name }),
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
    ...(expiry !== undefined && { expiresDays: expiry?.days ?? null }),
  })
  await stores.store.touch([id], stores.files.clock.now())
  return onWire(stores, await ownStore(stores, id, caller))
}

/** From the answer on nothing of the store is found; it comes when nothing is left. */
export async function deleteStore(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { id } = await ownStore(stores, idOf(context), caller)
  await deleteOne(stores, id)
  return json({ id, object: 'vector_store.deleted', deleted: true })
}

/** Answers 400, 404, 422 and 503 by throwing. */
export async function searchStore(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { id } = await usableStore(stores, idOf(context), caller)
  const body = await readBody(stores, context, searchRequest)
  const asked = [body.query].flat()
  const { signal } = context
  const rewritten = (text: string): Promise<string> => searchTextOf(stores.documents, { caller, text, signal })
  const queries = body.rewrite_query ? await Promise.all(asked.map(rewritten)) : asked
  const { ranker = null, score_threshold: scoreMin = 0, hybrid_search: hybrid } = body.ranking_options ?? {}
  const found = await searchStores(stores, {
    caller,
    storeIds: [id],
    queries,
    maxResults: body.max_num_results,
    filter: body.filters ? filterOf(body.filters, 'filters') : undefined,
    scoreMin,
    ranker,
    weights: hybrid ? { vector: hybrid.embedding_weight, keyword: hybrid.text_weight } : null,
    signal,
  })
  const answer: z.input<typeof searchAnswer> = {
    object: 'vector_store.search_results.page',
    search_query: queries,
    data: found.map(({ fileId, filename, score, attributes, text }) => ({
      file_id: fileId,
      filename,
      score,
      attributes: attributes && { ...attributes },
      content: [{ type: 'text', text }],
    })),
    has_more: false,
    next_page: null,
  }
  return json(answer)
}

async function deleteOne(stores: VectorStores, id: string): Promise<void> {
  const now = stores.files.clock.now()
  if (!(await stores.store.markDeleted(id, now))) return
  await emptyStore(stores, id, now)
  await stores.store.forget(id)
}

async function onWire({ store, files }: VectorStores, record: VectorStoreRecord): Promise<Response> {
  const now = files.clock.now()
  const counts = await store.counts([record.id], now)
  return json(storeOnWire(record, counts.get(record.id) ?? noFiles, now))
}

const noFiles = { in_progress: 0, completed: 0, cancelled: 0, failed: 0, bytes: 0 }

export function idOf({ params }: RequestContext): string {
  return params['id'] ?? ''
}

/** A body that the schema takes. Answers 400 by throwing. */
export async function readBody<Schema extends z.ZodType>(
  { files }: Pick<VectorStores, 'files'>,
  context: RequestContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const readSeconds = files.settings.get('server.body_read_seconds')
  const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { param } = firstFault(parsed.error)
  throw new ApiError('invalid_body', { param, message: faultOf(parsed.error, 'The request body') })
}

/** The page that a query asks for. Answers 400 by throwing. */
export function pageOf(query: URLSearchParams): StorePage {
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw new ApiError('invalid_query_parameter', { param: 'order', message: '"order" takes asc or desc.' })
  const [after, before] = [query.get('after'), query.get('before')]
  return { limit: limitOf(query, limitUsual, limitMax), descending: order === 'desc', after, before }
}

/** A page of which one more was read: at its end, or at its beginning when it is read from there. */
export function listPage<Item extends { readonly id: string }>(
  found: readonly Item[],
  { limit, after, before }: StorePage,
) {
  const isBackwards = after === null && before !== null
  if (!isBackwards || found.length <= limit) return listOnWire(found, limit)
  return { ...listOnWire(found.slice(1), limit), has_more: true }
}
