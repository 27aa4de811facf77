/** The handlers of /ai/v1/batches: create, retrieve, list, cancel. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { batchAnswer, batchOnWire } from './batch-wire.ts'
import type { Batches } from './batches.ts'
import { limitOf, listOnWire } from './files/file-handlers.ts'
import { newId, ownFile } from './files/files.ts'
import { expirySeconds } from './files/upload-file.ts'
import { batchEndpoints, endpointPath } from './lines/line-calls.ts'
import { filesLifeMs } from './run/validate-batch.ts'

const hourMs = 3_600_000
const windowHoursMax = 720
const metadataMax = 16
const bodyBytesMax = 1_048_576
const listUsual = 20
const listMax = 100

export const batchesQuery = z.object({
  after: z.string().optional().describe('The id of the batch before the page'),
  limit: z.string().optional().describe('1 to 100; 20 when left out'),
})

export const batchesAnswer = z.object({
  object: z.literal('list'),
  data: z.array(batchAnswer),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

/** Answers 400, 404, 408, 413 and 429 by throwing. */
export async function createBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const readSeconds = batches.gateway.settings.get('server.body_read_seconds')
  const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
  if (!isObject(value)) throw invalid(null, 'The request body must be a JSON object.')
  const batch = { ...newBatch(caller, await batches.now()), ...(await readRequest(batches, value, caller)) }
  const created = { ...batch, expiresAt: batch.createdAt + windowMs(batch.completionWindow) }
  await insertBatch(batches, created)
  return onWire(batches, created, created.createdAt)
}

function onWire({ gateway }: Batches, batch: Batch, now: number): Response {
  return json(batchOnWire(batch, { now, currency: gateway.settings.get('prices.currency') }))
}

/** Adds a batch and wakes the worker. Answers 429 by throwing. */
export async function insertBatch({ store, gateway, wake }: Batches, batch: Batch): Promise<void> {
  const isAsync = batch.dialect === 'async'
  const openMax = gateway.settings.get(isAsync ? 'batches.async_max' : 'batches.open_max')
  if (!(await store.insert(batch, openMax)))
    throw new ApiError('rate_limit_exceeded', {
      message: `Your account has ${openMax} ${isAsync ? 'async requests' : 'batches'} that have not ended. Wait until one of them has.`,
    })
  wake()
}

/** The input becomes a file of the account, as one that it has uploaded. Answers 413 by throwing. */
export async function storeInput(batches: Batches, batch: Batch, lines: Iterable<Uint8Array>): Promise<void> {
  const { files, gateway } = batches
  const received = await files.spool.receive(lines, Number.MAX_SAFE_INTEGER)
  try {
    const file: StoredFile = {
      id: batch.inputFileId,
      userId: batch.userId,
      blobId: crypto.randomUUID(),
      sha256: received.sha256,
      purpose: batch.dialect === 'async' ? 'async' : 'batch',
      name: `${batch.id}_input.jsonl`,
      bytes: received.bytes,
      createdAt: batch.createdAt,
      expiresAt: batch.createdAt + filesLifeMs(batches, batch),
      place: await files.place(),
    }
    using _held = await files.blobUse.hold([file.blobId])
    await files.blobs.put([{ ...received, id: file.blobId }])
    if (!(await files.files.insert(file, gateway.settings.get('files.account_bytes_max'))))
      throw new ApiError('request_too_large', { message: 'Your account has as many bytes of files as it may.' })
  } finally {
    await files.spool.discard(received)
  }
}

/** What a batch is at its beginning, whatever it does. */
export function newBatch({ account, key }: Caller, createdAt: number): Omit<Batch, keyof Asked | 'expiresAt'> {
  const none = { outputFileId: null, errorFileId: null, outcome: null, errors: null, inProgressAt: null }
  return {
    ...none,
    cancellingAt: null,
    finalizingAt: null,
    nativeModels: [],
    endedAt: null,
    total: 0,
    completed: 0,
    failed: 0,
    undone: 0,
    cost: null,
    failures: {},
    usage: null,
    model: null,
    id: newId('batch_'),
    userId: account.user.id,
    keyId: key?.id ?? null,
    createdAt,
    status: 'validating',
    dialect: 'openai',
  }
}

/** Answers 404 by throwing. */
export async function getBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect: 'openai' })
  return onWire(batches, batch, await batches.now())
}

/** Answers 400 by throwing. */
export async function listBatches(
  { store, now, gateway }: Batches,
  { query }: RequestContext,
  caller: Caller,
): Promise<Response> {
  const limit = limitOf(query, listUsual, listMax)
  const found = await store.list({
    userId: caller.account.user.id,
    dialect: 'openai',
    limit: limit + 1,
    after: query.get('after'),
  })
  if (found === null)
    throw new ApiError('invalid_query_parameter', {
      param: 'after',
      message: '"after" names no batch of your account.',
    })
  const at = { now: await now(), currency: gateway.settings.get('prices.currency') }
  const page = found.map((batch) => batchOnWire(batch, at))
  return json(listOnWire(page, limit))
}

/** Answers 404, and 409 for a batch that has ended, by throwing. */
export async function cancelBatch(batches: Batches, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(batches, context, { caller, dialect: 'openai' })
  const now = await batches.now()
  const cancelled = await batches.store.cancel(batch.id, now)
  if (cancelled === null) {
    // As it is now: another request may have just cancelled it.
    const current = await ownBatch(batches, context, { caller, dialect: 'openai' })
    if (current.status === 'cancelling') return onWire(batches, current, now)
    throw new ApiError('batch_ended', { message: `Cannot cancel a batch with status '${current.status}'.` })
  }
  batches.wake()
  return onWire(batches, cancelled, now)
}

/** The caller's batch that the address names. Answers 404 by throwing. */
export async function ownBatch(
  { store }: Pick<Batches, 'store'>,
  { params }: RequestContext,
  { caller, dialect }: { readonly caller: Caller; readonly dialect: Batch['dialect'] },
): Promise<Batch> {
  const id = params['id'] ?? ''
  const batch = await store.find(id)
  if (batch === null || batch.userId !== caller.account.user.id || batch.dialect !== dialect)
    throw new ApiError('batch_not_found', { message: `No batch found with id '${id.slice(0, 100)}'.`, param: 'id' })
  return batch
}

type Asked = Pick<Batch, 'inputFileId' | 'endpoint' | 'completionWindow' | 'metadata' | 'filesExpireMs'>

async function readRequest(batches: Batches, body: Record<string, unknown>, caller: Caller): Promise<Asked> {
  const { endpoint, completion_window: completionWindow, input_file_id: inputFileId } = body
  const path = typeof endpoint === 'string' ? endpointPath(endpoint) : null
  if (path === null) throw invalid('endpoint', `"endpoint" takes ${batchEndpoints.join(', ')}.`)
  if (typeof completionWindow !== 'string' || !(windowMs(completionWindow) > 0))
    throw invalid('completion_window', `"completion_window" takes 24h, and any hours from 1h to ${windowHoursMax}h.`)
  if (typeof inputFileId !== 'string') throw invalid('input_file_id', '"input_file_id" must be the id of a file.')
  const input = await ownFile(batches.files, inputFileId, caller)
  if (input.purpose !== 'batch' || input.sha256 === null)
    throw invalid('input_file_id', 'The file was not uploaded with the purpose "batch".')
  const bytesMax = batches.gateway.settings.get('batches.max_file_bytes')
  if (input.bytes > bytesMax)
    throw invalid('input_file_id', `The input file of a batch may have ${bytesMax} bytes at most.`)
  return {
    inputFileId,
    endpoint: path,
    completionWindow,
    metadata: metadataOf(body['metadata']),
    filesExpireMs: expiryOf(body['output_expires_after']),
  }
}

/** NaN for what is not a window. */
function windowMs(window: string): number {
  const hours = /^\d{1,3}h$/.test(window) ? Number(window.slice(0, -1)) : 0
  return hours >= 1 && hours <= windowHoursMax ? hours * hourMs : Number.NaN
}

function metadataOf(sent: unknown): string | null {
  if (sent === undefined || sent === null) return null
  if (!isObject(sent)) throw invalid('metadata', '"metadata" must be an object.')
  const entries = Object.entries(sent)
  if (entries.length > metadataMax) throw invalid('metadata', `"metadata" may have ${metadataMax} entries at most.`)
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || value.length > 512 || name.length > 64)
      throw invalid('metadata', 'Names in "metadata" have 64 characters at most, and values are texts of 512 at most.')
  }
  return JSON.stringify(sent)
}

function expiryOf(sent: unknown): number | null {
  if (sent === undefined || sent === null) return null
  if (!isObject(sent) || sent['anchor'] !== 'created_at')
    throw invalid('output_expires_after', '"output_expires_after.anchor" takes created_at.')
  return expirySeconds(sent['seconds']) * 1000
}

function invalid(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
