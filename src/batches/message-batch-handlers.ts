/** The handlers of /ai/v1/messages/batches: Anthropic's Message Batches, which run as all batches do. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { insertBatch, newBatch, ownBatch, storeInput } from './batch-handlers.ts'
import type { Batches } from './batches.ts'
import { streamOf } from '#http/file-answer.ts'
import { contentPieces } from './files/file-content.ts'
import { limitOf, removeFiles } from './files/file-handlers.ts'
import { newId } from './files/files.ts'
import { readMessageBatch } from './message-batch-input.ts'
import { messageBatchOnWire } from './message-batch-wire.ts'

const windowMs = 86_400_000
const listUsual = 20
const listMax = 1000
const dialect = 'anthropic'

export const messageBatchesQuery = z.object({
  limit: z.string().optional().describe('1 to 1000; 20 when left out'),
  after_id: z.string().optional().describe('Older ones than this'),
  before_id: z.string().optional().describe('Newer ones than this'),
})

/** Answers 400, 408, 413, 415 and 429 by throwing. */
export async function createMessageBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const { settings } = batches.gateway
  const limits = {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }
  const input = await readMessageBatch(context, limits, settings.get('batches.max_lines'))
  const createdAt = await batches.now()
  const about = { dialect, endpoint: '/v1/messages', completionWindow: '24h', expiresAt: createdAt + windowMs } as const
  const batch: Batch = {
    ...newBatch(caller, createdAt),
    id: newId('msgbatch_'),
    ...about,
    metadata: null,
    filesExpireMs: null,
    inputFileId: newId('file-'),
    total: input.total,
  }
  await storeInput(batches, batch, input.lines())
  await insertBatch(batches, batch)
  return json(messageBatchOnWire(batch, originOf(batches, context)))
}

/** Answers 404 by throwing. */
export async function getMessageBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  return json(messageBatchOnWire(await ownBatch(batches, context, { caller, dialect }), originOf(batches, context)))
}

/** Answers 400 by throwing. */
export async function listMessageBatches(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const { query } = context
  const limit = limitOf(query, listUsual, listMax)
  const before = query.get('before_id')
  const after = before ?? query.get('after_id')
  const asked = { userId: caller.account.user.id, dialect, limit: limit + 1, after, newer: before !== null } as const
  const found = await batches.store.list(asked)
  if (found === null)
    throw new ApiError('invalid_query_parameter', {
      param: before === null ? 'after_id' : 'before_id',
      message: 'The query names no batch of your account.',
    })
  // The page of newer ones is next to the given batch.
  const page = before === null ? found.slice(0, limit) : found.slice(-limit)
  const data = page.map((batch) => messageBatchOnWire(batch, originOf(batches, context)))
  const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return json({ data, has_more: found.length > limit, ...ids })
}

/** Answers 404 by throwing. One that has ended stays as it is. */
export async function cancelMessageBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect })
  const cancelled = await batches.store.cancel(batch.id, await batches.now())
  batches.wake()
  return json(messageBatchOnWire(cancelled ?? batch, originOf(batches, context)))
}

/** Answers 404, and 409 for one that has not ended, by throwing. */
export async function deleteMessageBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect })
  if (batch.endedAt === null)
    throw new ApiError('file_in_use', { message: 'A batch can be deleted when it has ended. Cancel it first.' })
  await batches.store.hide(batch.id)
  await removeFiles(batches.files, await filesOf(batches, batch, ['inputFileId', 'outputFileId', 'errorFileId']))
  return json({ id: batch.id, type: 'message_batch_deleted' })
}

/** The results of all requests, also of a batch that still runs. Answers 404 by throwing. */
export async function messageBatchResults(
  batches: Batches,
  context: RequestContext,
  caller: Caller,
): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect })
  const files = await filesOf(batches, batch, ['outputFileId', 'errorFileId'])
  const headers = { 'content-type': 'application/x-jsonl', 'x-content-type-options': 'nosniff' }
  return context.respond(streamOf(piecesOf(batches, files)), { status: 200, headers })
}

async function* piecesOf(batches: Batches, files: readonly StoredFile[]): AsyncGenerator<Uint8Array, void> {
  for (const file of files) yield* contentPieces(batches.files, file)
}

type FileField = 'inputFileId' | 'outputFileId' | 'errorFileId'

async function filesOf({ files }: Batches, batch: Batch, fields: readonly FileField[]): Promise<readonly StoredFile[]> {
  const found: StoredFile[] = []
  for (const field of fields) {
    const id = batch[field]
    const file = id === null ? null : await files.files.find(id)
    if (file !== null) found.push(file)
  }
  return found
}

function originOf({ gateway }: Batches, { request }: RequestContext): string {
  return gateway.settings.get('server.public_url') ?? new URL(request.url).origin
}
