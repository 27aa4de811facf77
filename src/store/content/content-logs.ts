/**
 * Logged prompts and answers. A row says whose request it was; its two texts are sealed under the secret key, each bound
 * to its row. What a row takes is summed up by day, so that the oldest can be removed before all become too many.
 */
import { sql, type Kysely, type Selectable, type SelectQueryBuilder, type SqlBool, type Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import type { Database } from '../database.ts'
import { decodeCursor, encodeCursor, pageOf, type Page, type PageRequest } from '../page.ts'
import { flag, type ContentLogsTable, type Tables } from '../schema.ts'

export interface ContentLog {
  readonly id: string
  /** When the request arrived. */
  readonly at: number
  readonly requestId: string
  readonly userId: string
  /** Null for a browser session. */
  readonly keyId: string | null
  /** Canonical name at that time. */
  readonly model: string
  readonly endpoint: string
  readonly status: number
  /** The error's code; null for a success. */
  readonly code: string | null
  /** Some of the text is missing. */
  readonly requestCut: boolean
  readonly answerCut: boolean
}

export interface ContentTexts {
  readonly request: string
  /** Null when there was no answer. */
  readonly answer: string | null
}

export type FullContentLog = ContentLog & ContentTexts

export interface StoredContentLog extends ContentLog {
  /** What its texts take in the database. */
  readonly bytes: number
}

export interface ContentFilter {
  readonly requestId?: string | undefined
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
  readonly model?: string | undefined
  /** From this moment on. */
  readonly from?: number | undefined
  /** Before this moment. */
  readonly to?: number | undefined
}

export interface ContentScan {
  readonly filter: ContentFilter
  /** `nextCursor` of the scan before; null for the first. */
  readonly cursor: string | null
  /** Most bytes of texts, beyond the first row. */
  readonly bytesMax: number
  readonly rowsMax: number
}

export interface ScannedContent {
  readonly rows: readonly FullContentLog[]
  /** Null when no rows are left. */
  readonly nextCursor: string | null
}

export interface ContentLogStore {
  /** Adds rows, all or none. */
  insertMany(rows: readonly FullContentLog[]): Promise<void>
  /** Without texts, the newest first. Throws InvalidCursor. */
  list(query: ContentFilter & PageRequest): Promise<Page<StoredContentLog>>
  /** Null when there is no such row. Rejects with SealError. */
  find(id: string): Promise<FullContentLog | null>
  /** Rows with their texts, the newest first, as many as a budget allows. Throws InvalidCursor and SealError. */
  scan(scan: ContentScan): Promise<ScannedContent>
  /** Removes at most `limit` of the oldest rows that match, and returns their number. */
  removeSome(filter: ContentFilter, limit: number): Promise<number>
  /** Bytes of all texts together. */
  totalBytes(): Promise<number>
}

type Row = Selectable<ContentLogsTable>
type Listed = Omit<Row, 'request' | 'answer'>

const dayMs = 24 * 60 * 60_000
const listed = [
  'id',
  'at',
  'request_id',
  'user_id',
  'key_id',
  'model',
  'endpoint',
  'status',
  'code',
  'request_cut',
  'answer_cut',
  'bytes',
] as const
/** Rows that one statement of a scan reads with their texts. */
const scannedAtOnce = 8

/** The content logs of this database. */
export function contentLogStore({ kysely }: Database, sealer: Sealer): ContentLogStore {
  return { ...reads(kysely, sealer), ...writes(kysely, sealer) }
}

type Names<Name extends keyof ContentLogStore> = Pick<ContentLogStore, Name>

function reads(kysely: Kysely<Tables>, sealer: Sealer): Names<'list' | 'find' | 'scan' | 'totalBytes'> {
  const query = () => kysely.selectFrom('content_logs')
  return {
    async list({ cursor, limit, ...filter }) {
      const rows = await matching(query(), filter, cursor ?? null)
        .select(listed)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return pageOf(rows, limit, { item: listedRow, place: (row) => row })
    },
    async find(id) {
      const row = await query().selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : openedRow(row, sealer)
    },
    async scan({ filter, cursor, bytesMax, rowsMax }) {
      const rows: FullContentLog[] = []
      let at = cursor
      for (let bytes = 0; ;) {
        const next = await matching(query(), filter, at)
          .selectAll()
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(scannedAtOnce)
          .execute()
        for (const row of next) {
          // Opening one takes up to a few milliseconds: other requests come in between.
          await turn()
          rows.push(openedRow(row, sealer))
          bytes += row.bytes
          at = encodeCursor(row)
          if (bytes >= bytesMax || rows.length >= rowsMax) return { rows, nextCursor: at }
        }
        if (next.length < scannedAtOnce) return { rows, nextCursor: null }
      }
    },
    async totalBytes() {
      const sum = sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`
      return (await kysely.selectFrom('content_log_days').select(sum.as('bytes')).executeTakeFirstOrThrow()).bytes
    },
  }
}

function writes(kysely: Kysely<Tables>, sealer: Sealer): Names<'insertMany' | 'removeSome'> {
  return {
    async insertMany(rows) {
      const sealed: Row[] = []
      for (const row of rows) {
        if (sealed.length > 0) await turn()
        sealed.push(sealedRow(row, sealer))
      }
      await kysely.transaction().execute(async (trx) => {
        for (const row of sealed) {
          await trx.insertInto('content_logs').values(row).execute()
          await addToDay(trx, row.at, row.bytes)
        }
      })
    },
    removeSome: (filter, limit) =>
      kysely.transaction().execute(async (trx) => {
        const rows = await matching(trx.selectFrom('content_logs'), filter, null)
          .select(['id', 'at', 'bytes'])
          .orderBy('at')
          .orderBy('id')
          .limit(limit)
          .execute()
        if (rows.length === 0) return 0
        const ids = rows.map(({ id }) => id)
        await trx.deleteFrom('content_logs').where('id', 'in', ids).execute()
        const byDay = Map.groupBy(rows, ({ at }) => dayOf(at))
        for (const [, own] of byDay) {
          const bytes = own.reduce((sum, row) => sum + row.bytes, 0)
          await addToDay(trx, own[0]?.at ?? 0, -bytes)
        }
        await trx.deleteFrom('content_log_days').where('bytes', '<=', 0).execute()
        return rows.length
      }),
  }
}

function matching<O>(
  query: SelectQueryBuilder<Tables, 'content_logs', O>,
  { requestId, userId, keyId, model, from, to }: ContentFilter,
  cursor: string | null,
): SelectQueryBuilder<Tables, 'content_logs', O> {
  let narrowed = query
  if (requestId !== undefined) narrowed = narrowed.where('request_id', '=', requestId)
  if (userId !== undefined) narrowed = narrowed.where('user_id', '=', userId)
  if (keyId !== undefined) narrowed = narrowed.where('key_id', '=', keyId)
  if (model !== undefined) narrowed = narrowed.where('model', '=', model)
  if (from !== undefined) narrowed = narrowed.where('at', '>=', from)
  if (to !== undefined) narrowed = narrowed.where('at', '<', to)
  if (cursor === null) return narrowed
  const place = decodeCursor(cursor)
  return narrowed.where(sql<SqlBool>`(at, id) < (${place.at}, ${place.id})`)
}

async function addToDay(trx: Transaction<Tables>, at: number, bytes: number): Promise<void> {
  await trx
    .insertInto('content_log_days')
    .values({ day: dayOf(at), bytes })
    .onConflict((conflict) =>
      conflict.column('day').doUpdateSet((before) => ({ bytes: before('content_log_days.bytes', '+', bytes) })),
    )
    .execute()
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

function sealedRow(row: FullContentLog, sealer: Sealer): Row {
  const request = sealer.seal(row.request, contextOf(row.id, 'request'))
  const answer = row.answer === null ? null : sealer.seal(row.answer, contextOf(row.id, 'answer'))
  return {
    id: row.id,
    at: row.at,
    request_id: row.requestId,
    user_id: row.userId,
    key_id: row.keyId,
    model: row.model,
    endpoint: row.endpoint,
    status: row.status,
    code: row.code,
    request_cut: flag(row.requestCut),
    answer_cut: flag(row.answerCut),
    bytes: request.length + (answer?.length ?? 0),
    request,
    answer,
  }
}

function openedRow(row: Row, sealer: Sealer): FullContentLog {
  const { bytes: _, ...facts } = listedRow(row)
  return {
    ...facts,
    request: sealer.open(row.request, contextOf(row.id, 'request')),
    answer: row.answer === null ? null : sealer.open(row.answer, contextOf(row.id, 'answer')),
  }
}

function listedRow(row: Listed): StoredContentLog {
  return {
    id: row.id,
    at: row.at,
    requestId: row.request_id,
    userId: row.user_id,
    keyId: row.key_id,
    model: row.model,
    endpoint: row.endpoint,
    status: row.status,
    code: row.code,
    requestCut: row.request_cut === 1,
    answerCut: row.answer_cut === 1,
    bytes: row.bytes,
  }
}

function contextOf(id: string, part: 'request' | 'answer'): string {
  return `content ${id} ${part}`
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
