/**
 * The audit log. Each row carries the hash of the row before it, and the head remembers the newest row and the last one
 * that retention removed. What is written into a row is decided in src/admin/audit.
 */
import { createHash } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import type { Database } from './database.ts'
import { decodeRowCursor, pageOf, type Page, type PageRequest } from './page.ts'
import type { AuditHeadTable, AuditRowsTable, Tables } from './schema.ts'

/** How an action ended; `begun` is written before a change, so that a crash leaves a trace of it. */
export const auditOutcomes = ['begun', 'done', 'refused', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export const auditSources = ['session', 'key', 'operator', 'file', 'sign-in'] as const
export type AuditSource = (typeof auditSources)[number]

export interface AuditEntry {
  readonly at: number
  /** Method and path of the route, or what happened: `sign-in`. */
  readonly action: string
  readonly outcome: AuditOutcome
  readonly source: AuditSource
  /** E-mail address. */
  readonly actor: string
  readonly actorId: string | null
  readonly keyId: string | null
  readonly address: string
  readonly requestId: string
  /** The path of the record below the prefix of the admin API; its name for a change by the configuration file. */
  readonly record: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditRow extends AuditEntry {
  readonly seq: number
  readonly hash: string
}

export interface AuditQuery extends PageRequest {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly record?: string | undefined
  readonly outcome?: AuditOutcome | undefined
  /** From this moment on. */
  readonly since?: number | undefined
  /** Before this moment. */
  readonly until?: number | undefined
}

export interface AuditProof {
  /** The first row that is missing, changed or out of its order; null when the chain is whole. */
  readonly brokenAt: number | null
  /** Rows whose hashes were recomputed. */
  readonly checked: number
  /** The newest row of the head, to be compared with a copy that was kept elsewhere. */
  readonly seq: number
  readonly hash: string
}

export interface AuditStore {
  /** Adds a row at the end of the chain and returns its number. */
  append(entry: AuditEntry): Promise<number>
  /** The newest first. Throws InvalidCursor. */
  list(query: AuditQuery): Promise<Page<AuditRow>>
  /** Recomputes the chain in batches. */
  verify(): Promise<AuditProof>
  /** Removes at most `limit` of the oldest rows, as far as all of them are older, and returns their number. */
  purgeBefore(before: number, limit: number): Promise<number>
}

/** Some 4 MB at most, so that a batch is hashed in a few milliseconds. */
const verifiedAtOnce = 100

type Row = Selectable<AuditRowsTable>
type Head = Selectable<AuditHeadTable>

/** The audit log of this database. */
export function auditStore({ kysely, engine }: Database): AuditStore {
  const readHead = (): Promise<Head> => kysely.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()
  /** Appends of all processes wait for each other here, so the chain has one end. On SQLite a transaction has the lock. */
  const lockHead = (trx: Transaction<Tables>): Promise<Head> =>
    trx
      .selectFrom('audit_head')
      .selectAll()
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
  return {
    append: (entry) =>
      kysely.transaction().execute(async (trx) => {
        const head = await lockHead(trx)
        const row = rowOf(entry, head.seq + 1, head.hash)
        await trx.insertInto('audit_rows').values(row).execute()
        await trx.updateTable('audit_head').set({ seq: row.seq, hash: row.hash }).execute()
        return row.seq
      }),
    async list({ actor, action, record, outcome, since, until, cursor, limit }) {
      let query = kysely.selectFrom('audit_rows').selectAll()
      if (actor !== undefined) query = query.where('actor', '=', actor)
      if (action !== undefined) query = query.where('action', '=', action)
      if (record !== undefined) query = query.where('record', '=', record)
      if (outcome !== undefined) query = query.where('outcome', '=', outcome)
      if (since !== undefined) query = query.where('at', '>=', since)
      if (until !== undefined) query = query.where('at', '<', until)
      if (cursor !== undefined && cursor !== null) query = query.where('seq', '<', decodeRowCursor(cursor).id)
      const rows = await query
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute()
      return pageOf(rows, limit, { item: entryOf, place: (row) => ({ at: row.at, id: row.seq }) })
    },
    async verify() {
      for (;;) {
        const head = await readHead()
        const proof = await proveChain(kysely, head)
        // Retention may have removed rows that were still to be read.
        if (proof.brokenAt === null || (await readHead()).removed_seq === head.removed_seq) return proof
      }
    },
    purgeBefore: (before, limit) =>
      kysely.transaction().execute(async (trx) => {
        await lockHead(trx)
        const rows = await trx.selectFrom('audit_rows').selectAll().orderBy('seq').limit(limit).execute()
        const firstKept = rows.findIndex(({ at }) => at >= before)
        const removed = firstKept === -1 ? rows : rows.slice(0, firstKept)
        const last = removed.at(-1)
        if (last === undefined) return 0
        await trx.deleteFrom('audit_rows').where('seq', '<=', last.seq).execute()
        await trx.updateTable('audit_head').set({ removed_seq: last.seq, removed_hash: last.hash }).execute()
        return removed.length
      }),
  }
}

async function proveChain(kysely: Database['kysely'], head: Head): Promise<AuditProof> {
  let seq = head.removed_seq
  let hash = head.removed_hash
  const proof = (brokenAt: number | null): AuditProof => ({
    brokenAt,
    checked: seq - head.removed_seq,
    seq: head.seq,
    hash: head.hash,
  })
  // A row before the anchor was put there by hand.
  const early = await kysely.selectFrom('audit_rows').select('seq').where('seq', '<=', seq).limit(1).executeTakeFirst()
  if (early !== undefined) return proof(early.seq)
  while (seq < head.seq) {
    const rows = await kysely
      .selectFrom('audit_rows')
      .selectAll()
      .where('seq', '>', seq)
      .where('seq', '<=', head.seq)
      .orderBy('seq')
      .limit(verifiedAtOnce)
      .execute()
    if (rows.length === 0) return proof(seq + 1)
    for (const row of rows) {
      if (row.seq !== seq + 1 || row.previous !== hash || row.hash !== hashOf(row)) return proof(seq + 1)
      seq = row.seq
      hash = row.hash
    }
    // Other requests come in between: SQLite answers without giving up the thread.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return proof(hash === head.hash ? null : seq)
}

function rowOf(entry: AuditEntry, seq: number, previous: string): Row {
  const row = {
    seq,
    at: entry.at,
    action: entry.action,
    outcome: entry.outcome,
    source: entry.source,
    actor: entry.actor,
    actor_id: entry.actorId,
    key_id: entry.keyId,
    address: entry.address,
    request_id: entry.requestId,
    record: entry.record,
    details: JSON.stringify(entry.details),
    previous,
  }
  return { ...row, hash: hashOf(row) }
}

function entryOf(row: Row): AuditRow {
  return {
    seq: row.seq,
    at: row.at,
    action: row.action,
    outcome: row.outcome as AuditOutcome,
    source: row.source as AuditSource,
    actor: row.actor,
    actorId: row.actor_id,
    keyId: row.key_id,
    address: row.address,
    requestId: row.request_id,
    record: row.record,
    details: JSON.parse(row.details) as AuditEntry['details'],
    hash: row.hash,
  }
}

/** SHA-256 over all other columns. */
function hashOf(row: Omit<Row, 'hash'>): string {
  const { seq, at, action, outcome, source, actor, actor_id: actorId, key_id: keyId } = row
  const { address, request_id: requestId, record, details, previous } = row
  const columns = [
    seq,
    at,
    action,
    outcome,
    source,
    actor,
    actorId,
    keyId,
    address,
    requestId,
    record,
    details,
    previous,
  ]
  return createHash('sha256').update(JSON.stringify(columns)).digest('hex')
}
