/**
 * The work on usage records, for both engines, on the calling thread. Work that occupies the thread or the write
 * lock for long is cut into parts; the caller decides on which thread they run.
 */
import { momentOfId } from '#lib/timed-id.ts'
import { sql, type SqlBool } from 'kysely'
import type { Connection } from '../database.ts'
import { decodeRowCursor, pageOf } from '../page.ts'
import { counterProof } from './counter-proof.ts'
import { usageBackfill } from './usage-backfill.ts'
import { DayPartitions, dropPartitions } from './usage-partitions.ts'
import { usageRecompute } from './usage-recompute.ts'
import { usageOf } from './usage-record.ts'
import { rowFilter, usageReports } from './usage-reports.ts'
import type { UsageWork } from './usage.ts'
import { usageWriting } from './usage-writing.ts'

/** Rows of one part of a purge: a few milliseconds of the write lock. */
const purgeMax = 1000
/** Most between the time in a request's id and that of its record. */
const idNearMs = 60_000

/** Work on the usage records of this database, on the calling thread. */
export function usageRows(connection: Connection): UsageWork {
  const { engine, kysely } = connection
  const partitions = engine === 'postgres' ? new DayPartitions(kysely) : null
  return {
    ...usageWriting(connection, partitions),
    ...usageReports(connection),
    ...usageBackfill(connection),
    ...counterProof(connection),
    ...usageRecompute(connection),
    async list({ cursor, limit, status, ...filter }) {
      let query = kysely.selectFrom('usage_records as r').selectAll().where(rowFilter(filter))
      if (status !== undefined) query = query.where('status', '>=', status.first).where('status', '<=', status.last)
      // Said a second time in the words of the index on errors, which is used for nothing else.
      if (status !== undefined && status.first >= 400) query = query.where(sql<SqlBool>`status >= 400`)
      if (cursor !== undefined && cursor !== null) {
        const { at, id } = decodeRowCursor(cursor)
        query = query.where(sql<SqlBool>`(at, id) < (${at}, ${id})`)
      }
      const rows = await query
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return pageOf(rows, limit, { item: usageOf, place: ({ at, id }) => ({ at, id }) })
    },
    async find({ requestId, userId, at }) {
      const newest = async (from: number, to: number) => {
        let query = kysely.selectFrom('usage_records').selectAll().where('request_id', '=', requestId)
        if (userId !== undefined) query = query.where('user_id', '=', userId)
        return await query
          .where('at', '>=', from)
          .where('at', '<=', to)
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst()
      }
      // No index on the id, which every request would pay: the time is known, or in the id. Only for a client's own
      // id are the rows read through.
      const moment = at ?? momentOfId(requestId)
      const nearMs = at === undefined ? idNearMs : 0
      const near = moment === null ? undefined : await newest(moment - nearMs, moment + nearMs)
      const row = near ?? (at === undefined ? await newest(0, Number.MAX_SAFE_INTEGER) : undefined)
      return row === undefined ? null : usageOf(row)
    },
    async purgeSome(before) {
      const { remaining } = await kysely.selectFrom('usage_backfill').select('remaining').executeTakeFirstOrThrow()
      if (remaining > 0) return 0
      if (engine === 'postgres') await dropPartitions(kysely, before)
      // The oldest first, by the index on (at): a purge that is cut short has still kept a whole period.
      const { numAffectedRows = 0n } = await sql`
        delete from usage_records where (at, id) in
          (select at, id from usage_records where at < ${before} order by at limit ${purgeMax})`.execute(kysely)
      return Number(numAffectedRows)
    },
    async prepare(moments) {
      await partitions?.ensure(moments)
    },
  }
}
