/**
 * Responses that the gateway keeps itself. A row says whose a response is and how far it is; its texts are sealed
 * (kept-texts.ts). A response that is being made in the background belongs to a worker under a lease: every write of
 * the worker names it, so one that lost its response changes nothing.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import type { Database } from '../database.ts'
import type { KeptResponsesTable, Tables } from '../schema.ts'
import { addEvent, type EventType } from '../webhooks/outbox.ts'
import { addBytes, addWithinLimit, removeResponses } from './kept-bytes.ts'
import { bytesOf, openText, sealText, writeTexts, type SealedText } from './kept-texts.ts'

export type KeptStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export interface KeptResponse {
  readonly id: string
  readonly userId: string
  readonly modelId: string
  /** The response that it builds on. */
  readonly previousId: string | null
  readonly status: KeptStatus
  /** The process that is making it, and until when it may be believed to; null for one that has ended. */
  readonly lease: Lease | null
  /** What its texts take. */
  readonly bytes: number
  readonly createdAt: number
  readonly usedAt: number
}

export interface Lease {
  readonly workerId: string
  readonly until: number
}

/**
 * - `input`: the items of its own input, JSON separated by commas.
 * - `output`: its output items, in the same form.
 * - `response`: the rest of the Response object, as JSON.
 */
export type KeptTextKind = 'input' | 'output' | 'response'
export type KeptTexts = Readonly<Partial<Record<KeptTextKind, string>>>

/** A response with its texts. */
export interface NewKeptResponse extends Omit<KeptResponse, 'bytes'> {
  readonly texts: KeptTexts
}

/** Some events of one that is being made, each a line of JSON; `position` is the sequence number of the first. */
export interface KeptEvents {
  readonly position: number
  readonly lines: string
}

export interface Progress {
  readonly id: string
  readonly events: KeptEvents | null
}

/** How a response ends. `workerId` null: with any worker; `leaseBefore`: only if its lease was over by then. */
export interface Ending {
  readonly id: string
  readonly status: KeptStatus
  readonly texts: KeptTexts
  readonly events: KeptEvents | null
  readonly workerId: string | null
  readonly leaseBefore?: number
  readonly at: number
}

export interface KeptResponseStore {
  /** Adds responses, all or none; removes older ones of an account that then has more than `bytesMax`. */
  insertMany(responses: readonly NewKeptResponse[], bytesMax: number): Promise<void>
  /** Those that there are. */
  listOfIds(ids: readonly string[]): Promise<readonly KeptResponse[]>
  /** The response and all that it builds on, the oldest first; at most `most`, counted from the newest. */
  chain(id: string, most: number): Promise<readonly KeptResponse[]>
  /** The text of each response, in the order of the ids; empty where there is none. Rejects with SealError. */
  texts(ids: readonly string[], kind: KeptTextKind): Promise<readonly string[]>
  /** They are in use: they are not purged for a while. */
  touch(ids: readonly string[], at: number): Promise<void>
  /** Extends the leases of a worker, and adds events; returns the ids that are still the worker's. */
  progress(lease: Lease, progress: readonly Progress[]): Promise<ReadonlySet<string>>
  /** False when it has ended already, or is not the worker's. */
  end(ending: Ending): Promise<boolean>
  /** Those whose lease was over at this moment. */
  abandoned(at: number, limit: number): Promise<readonly KeptResponse[]>
  /** Events from this sequence number on, oldest first; a piece may begin before it. */
  events(id: string, from: number): Promise<readonly KeptEvents[]>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** Removes some that were not used since; returns how many. */
  purgeBefore(at: number, limit: number): Promise<number>
  /** Removes the events of some that ended before; returns how many rows. */
  purgeEventsBefore(at: number, limit: number): Promise<number>
}

const running = ['queued', 'in_progress'] as const
const eventKind = 'events'
/** Places of one written piece of events: a long one is several texts. */
const piecesMax = 4096

/** The kept responses of this database. */
export function keptResponseStore({ kysely }: Database, sealer: Sealer): KeptResponseStore {
  return { ...reads(kysely, sealer), ...writes(kysely, sealer), ...removals(kysely) }
}

type Names<Name extends keyof KeptResponseStore> = Pick<KeptResponseStore, Name>

function reads(
  kysely: Kysely<Tables>,
  sealer: Sealer,
): Names<'listOfIds' | 'chain' | 'texts' | 'abandoned' | 'events'> {
  return {
    async listOfIds(ids) {
      if (ids.length === 0) return []
      const rows = await kysely.selectFrom('kept_responses').selectAll().where('id', 'in', ids).execute()
      return rows.map(responseOf)
    },
    async chain(id, most) {
      const { rows } = await sql<KeptResponsesTable>`
        with recursive chain as (
          select kept_responses.*, 1 as depth from kept_responses where id = ${id}
          union all
          select earlier.*, chain.depth + 1 as depth from kept_responses as earlier
          join chain on earlier.id = chain.previous_id and earlier.user_id = chain.user_id
          where chain.depth < ${most}
        ) select * from chain order by depth desc`.execute(kysely)
      return rows.map(responseOf)
    },
    async texts(ids, kind) {
      if (ids.length === 0) return []
      const rows = await kysely
        .selectFrom('kept_texts')
        .selectAll()
        .where('owner_id', 'in', [...new Set(ids)])
        .where('kind', '=', kind)
        .orderBy('owner_id')
        .orderBy('position')
        .execute()
      const byOwner = Map.groupBy(rows, (row) => row.owner_id)
      const texts: string[] = []
      for (const id of ids) texts.push(await openText(sealer, byOwner.get(id) ?? []))
      return texts
    },
    async abandoned(at, limit) {
      const rows = await kysely
        .selectFrom('kept_responses')
        .selectAll()
        .where('lease_until', '<', at)
        .limit(limit)
        .execute()
      return rows.map(responseOf)
    },
    events: (id, from) => readEvents(kysely, sealer, id, from),
  }
}

async function readEvents(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  id: string,
  from: number,
): Promise<readonly KeptEvents[]> {
  const ofResponse = kysely.selectFrom('kept_texts').where('owner_id', '=', id).where('kind', '=', eventKind)
  // Divided as integers: the place where the text begins that this position is a part of.
  const first = ofResponse
    .select((row) =>
      sql<number>`coalesce(${row.fn.max('position')}, 0) / ${sql.lit(piecesMax)} * ${sql.lit(piecesMax)}`.as('first'),
    )
    .where('position', '<=', from * piecesMax)
  const rows = await ofResponse.selectAll().where('position', '>=', first).orderBy('position').execute()
  const events: KeptEvents[] = []
  for (const [position, pieces] of Map.groupBy(rows, (row) => Math.floor(row.position / piecesMax)))
    events.push({ position, lines: await openText(sealer, pieces) })
  return events
}

function writes(kysely: Kysely<Tables>, sealer: Sealer): Names<'insertMany' | 'touch' | 'progress' | 'end'> {
  return {
    async insertMany(responses, bytesMax) {
      const sealed: (readonly SealedText[])[] = []
      for (const { id, texts } of responses) sealed.push(await sealTexts(sealer, id, texts))
      await kysely.transaction().execute(async (trx) => {
        for (const [at, { texts: _, ...response }] of responses.entries()) {
          const own = sealed[at] ?? []
          const row = { ...response, bytes: bytesOf(own) }
          await trx.insertInto('kept_responses').values(rowOf(row)).execute()
          await writeTexts(trx, own)
          await addWithinLimit(trx, row.userId, row.bytes, { bytesMax, kept: row.id })
        }
      })
    },
    async touch(ids, at) {
      if (ids.length > 0)
        await kysely.updateTable('kept_responses').set({ used_at: at }).where('id', 'in', ids).execute()
    },
    async progress(lease, progress) {
      const sealed = await Promise.all(progress.map(({ id, events }) => sealEvents(sealer, id, events)))
      return kysely.transaction().execute(async (trx) => {
        const rows = await trx
          .updateTable('kept_responses')
          .set({ lease_until: lease.until, status: 'in_progress' })
          .where(
            'id',
            'in',
            progress.map(({ id }) => id),
          )
          .where('worker_id', '=', lease.workerId)
          .where('status', 'in', running)
          .returning('id')
          .execute()
        const own = new Set(rows.map(({ id }) => id))
        await writeTexts(
          trx,
          sealed.flat().filter(({ place }) => own.has(place.ownerId)),
        )
        return own
      })
    },
    async end(ending) {
      const sealed = await sealTexts(sealer, ending.id, ending.texts)
      const events = await sealEvents(sealer, ending.id, ending.events)
      return kysely.transaction().execute((trx) => endResponse(trx, ending, { sealed, events }))
    },
  }
}

function removals(kysely: Kysely<Tables>): Names<'delete' | 'purgeBefore' | 'purgeEventsBefore'> {
  return {
    delete: (id) => kysely.transaction().execute(async (trx) => (await removeResponses(trx, [id])) > 0),
    async purgeBefore(at, limit) {
      const rows = await kysely
        .selectFrom('kept_responses')
        .select('id')
        .where('used_at', '<', at)
        .where('lease_until', 'is', null)
        .orderBy('used_at')
        .limit(limit)
        .execute()
      return kysely.transaction().execute((trx) =>
        removeResponses(
          trx,
          rows.map(({ id }) => id),
        ),
      )
    },
    async purgeEventsBefore(at, limit) {
      const rows = await kysely
        .selectFrom('kept_texts')
        .innerJoin('kept_responses', 'kept_responses.id', 'kept_texts.owner_id')
        .select('kept_texts.owner_id')
        .distinct()
        .where('kind', '=', eventKind)
        .where('kept_responses.used_at', '<', at)
        .where('lease_until', 'is', null)
        .limit(limit)
        .execute()
      if (rows.length === 0) return 0
      await kysely
        .deleteFrom('kept_texts')
        .where(
          'owner_id',
          'in',
          rows.map((row) => row.owner_id),
        )
        .where('kind', '=', eventKind)
        .execute()
      return rows.length
    },
  }
}

function sealTexts(sealer: Sealer, id: string, texts: KeptTexts): Promise<readonly SealedText[]> {
  return Promise.all(Object.entries(texts).map(([kind, text]) => sealText(sealer, { ownerId: id, kind }, text)))
}

async function sealEvents(sealer: Sealer, id: string, events: KeptEvents | null): Promise<readonly SealedText[]> {
  if (events === null) return []
  return [await sealText(sealer, { ownerId: id, kind: eventKind, position: events.position * piecesMax }, events.lines)]
}

interface EndingTexts {
  readonly sealed: readonly SealedText[]
  readonly events: readonly SealedText[]
}

async function endResponse(
  trx: Transaction<Tables>,
  { id, status, texts, workerId, leaseBefore, at }: Ending,
  { sealed, events }: EndingTexts,
): Promise<boolean> {
  const more = bytesOf(sealed)
  let update = trx
    .updateTable('kept_responses')
    .set((row) => ({ status, used_at: at, worker_id: null, lease_until: null, bytes: row('bytes', '+', more) }))
    .where('id', '=', id)
    .where('status', 'in', running)
  if (workerId !== null) update = update.where('worker_id', '=', workerId)
  if (leaseBefore !== undefined) update = update.where('lease_until', '<', leaseBefore)
  const row = await update.returning('user_id').executeTakeFirst()
  if (row === undefined) return false
  const fewer = await removeTexts(trx, id, Object.keys(texts))
  await trx
    .updateTable('kept_responses')
    .set((each) => ({ bytes: each('bytes', '-', fewer) }))
    .where('id', '=', id)
    .execute()
  await writeTexts(trx, [...sealed, ...events])
  await addBytes(trx, row.user_id, more - fewer)
  // Only what is made in the background has an end of its own.
  await addEvent(trx, { type: `response.${status}` as EventType, subject: id, at, userId: row.user_id })
  return true
}

/** Removes the texts that are written again; returns their bytes. */
async function removeTexts(trx: Transaction<Tables>, id: string, kinds: readonly string[]): Promise<number> {
  if (kinds.length === 0) return 0
  const removed = await trx
    .deleteFrom('kept_texts')
    .where('owner_id', '=', id)
    .where('kind', 'in', kinds)
    .returning(sql<number>`length(sealed)`.as('bytes'))
    .execute()
  return removed.reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

function rowOf(response: KeptResponse): KeptResponsesTable {
  return {
    id: response.id,
    user_id: response.userId,
    model_id: response.modelId,
    previous_id: response.previousId,
    status: response.status,
    worker_id: response.lease?.workerId ?? null,
    lease_until: response.lease?.until ?? null,
    bytes: response.bytes,
    created_at: response.createdAt,
    used_at: response.usedAt,
  }
}

function responseOf(row: KeptResponsesTable): KeptResponse {
  const { worker_id: workerId, lease_until: until } = row
  return {
    id: row.id,
    userId: row.user_id,
    modelId: row.model_id,
    previousId: row.previous_id,
    status: row.status as KeptStatus,
    lease: workerId === null || until === null ? null : { workerId, until },
    bytes: row.bytes,
    createdAt: row.created_at,
    usedAt: row.used_at,
  }
}
