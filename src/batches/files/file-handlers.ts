/** The handlers of files that are there: list, retrieve, delete; and what removes those whose time is over. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { StoredFile } from '#store/batches/files.ts'
import { fileAnswer, fileOnWire, ownFile, type Files } from './files.ts'

const limitMax = 10_000

/** The query of a list as the OpenAPI document shows it. */
export const filesQuery = z.object({
  after: z.string().optional().describe('The id of the file before the page'),
  limit: z.string().optional().describe('1 to 10000, which is the default'),
  order: z.enum(['asc', 'desc']).optional().describe('desc when left out: the newest first'),
  purpose: z.string().optional(),
})

export const filesAnswer = z.object({
  object: z.literal('list'),
  data: z.array(fileAnswer),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

export const deletedFile = z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })

/** Answers 400 by throwing. */
export async function listFiles(files: Files, { query }: RequestContext, caller: Caller): Promise<Response> {
  const limit = limitOf(query, limitMax, limitMax)
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw invalid('order', '"order" takes asc or desc.')
  const found = await files.files.list({
    userId: caller.account.user.id,
    purpose: query.get('purpose'),
    limit: limit + 1,
    descending: order === 'desc',
    after: query.get('after'),
    now: files.clock.now(),
  })
  if (found === null) throw invalid('after', '"after" names no file of your account.')
  return json(listOnWire(found.map(fileOnWire), limit))
}

/** Answers 404 by throwing. */
export async function getFile(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  return json(fileOnWire(await ownFile(files, context.params['id'] ?? '', caller)))
}

/** Answers 404, and 409 for a file that a batch needs, by throwing. */
export async function deleteFile(files: Files, context: RequestContext, caller: Caller): Promise<Response> {
  const file = await ownFile(files, context.params['id'] ?? '', caller)
  if (!(await files.files.deleteUnused(file))) throw new ApiError('file_in_use')
  await removeTraces(files, [file])
  return json({ id: file.id, object: 'file', deleted: true })
}

/** Removes some files whose time is over; returns how many. */
export async function removeExpired(files: Files, limit: number): Promise<number> {
  const expired = await files.files.expired(files.clock.now(), limit)
  await removeFiles(files, expired)
  return expired.length
}

/** The row goes first: bytes that are left over are removed as abandoned ones. */
export async function removeFiles(files: Files, removed: readonly StoredFile[]): Promise<void> {
  const ids = removed.map(({ id }) => id)
  await files.files.delete(ids)
  await removeTraces(files, removed)
}

/** What was made of files that have no row any more, and their bytes. */
async function removeTraces(files: Files, removed: readonly StoredFile[]): Promise<void> {
  await files.detach(removed.map(({ id }) => id))
  await removeBytes(files, removed)
}

/** The bytes of files that have no row any more. */
export async function removeBytes({ blobs }: Pick<Files, 'blobs'>, removed: readonly StoredFile[]): Promise<void> {
  for (const { blobId: id, sha256 } of removed) if (sha256 !== null) await blobs.remove({ id, sha256 })
}

/** The page of some rows, of which one more than `limit` were asked for. */
export function listOnWire<Item extends { readonly id: string }>(found: readonly Item[], limit: number) {
  const data = found.slice(0, limit)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  }
}

/** Answers 400 by throwing. */
export function limitOf(query: URLSearchParams, usual: number, most: number): number {
  const limit = query.get('limit') ?? String(usual)
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > most)
    throw invalid('limit', `"limit" must be a whole number from 1 to ${most}.`)
  return Number(limit)
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_query_parameter', { param, message })
}
