/** Sources that the server looks at: where they are, whose their documents become, when they are due, and how the last run ended. */
import type { Kysely, Selectable } from 'kysely'
import { SealError, type Sealer } from '#lib/seal.ts'
import { Secret } from '#lib/secret.ts'
import { checkedChange, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import type { SourcesTable, Tables } from '../schema.ts'
import { addEvent } from '../webhooks/outbox.ts'

export const sourceKinds = ['s3', 'webdav', 'git', 'sitemap'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** What a run did. */
export interface SourceRun {
  readonly outcome: 'completed' | 'failed'
  readonly begunAt: number
  readonly endedAt: number
  readonly imported: number
  readonly moved: number
  readonly deleted: number
  readonly unchanged: number
  readonly failed: number
  /** Why it failed, or why single files did: the first few. */
  readonly errors: readonly string[]
}

/** What an administrator sets. */
export interface SourceFields {
  readonly name: string
  readonly kind: SourceKind
  readonly url: string
  /** What the kind needs besides: a region, patterns of what is left out. */
  readonly options: Readonly<Record<string, unknown>>
  /** Null when it needs none. */
  readonly credential: Secret | null
  /** Whose the documents are. */
  readonly userId: string
  readonly category: string
  /** As an import has them; null for the user alone. */
  readonly owners: readonly string[] | null
  readonly everyMinutes: number
  readonly enabled: boolean
}

export interface Source extends SourceFields {
  readonly id: string
  /** When it is to be looked at next. */
  readonly dueAt: number
  /** Since when it is being looked at; null when it is not. */
  readonly begunAt: number | null
  readonly lastRun: SourceRun | null
  readonly createdAt: number
}

/** Its name stays: documents belong to it by that. */
export type SourcePatch = {
  readonly [Name in keyof Omit<SourceFields, 'kind' | 'name'>]?: SourceFields[Name] | undefined
}

export interface SourceStore {
  /** In the order of their names. */
  all(): Promise<readonly Source[]>
  get(id: string): Promise<Source | null>
  /** False when the name is taken or there are `most` already. */
  insert(source: Source, most: number): Promise<boolean>
  /** Null when there is none. */
  update(id: string, patch: SourcePatch, check?: Check<Source>): Promise<Source | null>
  delete(id: string, check?: Check<Source>): Promise<boolean>
  /** It is looked at next. False when there is none. */
  runNow(id: string, now: number): Promise<boolean>
  /** Those that are enabled and due, the longest first. */
  due(now: number): Promise<readonly Source[]>
  begin(id: string, now: number): Promise<void>
  /** Notes how a run ended, tells it to receivers of webhooks, and plans the next one. */
  end(source: Source, run: SourceRun): Promise<void>
}

const minuteMs = 60_000

/** The sources of this database, their credentials under this sealer's key. */
export function sourceStore(database: Database, sealer: Sealer): SourceStore {
  return { ...records(database, sealer), ...runs(database, sealer) }
}

type Names<Name extends keyof SourceStore> = Pick<SourceStore, Name>

function records(database: Database, sealer: Sealer): Names<'all' | 'get' | 'insert' | 'update' | 'delete'> {
  const { kysely } = database
  const checkable = (id: string) => ({
    table: 'sources' as const,
    id,
    read: async (on: Kysely<Tables>) => {
      const row = await on.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : sourceOf(row, sealer)
    },
  })
  return {
    async all() {
      const rows = await kysely.selectFrom('sources').selectAll().orderBy('name').execute()
      return rows.map((row) => sourceOf(row, sealer))
    },
    get: (id) => checkable(id).read(kysely),
    insert: (source, most) =>
      kysely.transaction().execute(async (trx) => {
        const { count } = await trx
          .selectFrom('sources')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
        if (Number(count) >= most) return false
        const inserted = await trx
          .insertInto('sources')
          .values(rowOf(source, sealer))
          .onConflict((conflict) => conflict.column('name').doNothing())
          .executeTakeFirst()
        return inserted.numInsertedOrUpdatedRows === 1n
      }),
    update: (id, patch, check) =>
      checkedChange(database, check, {
        ...checkable(id),
        async write(on) {
          const before = await checkable(id).read(on)
          if (before === null) return null
          const after = { ...before, ...given(patch) }
          // What a run writes at the same time stays.
          const { due_at: _due, begun_at: _begun, last_run: _last, ...set } = rowOf(after, sealer)
          await on.updateTable('sources').set(set).where('id', '=', id).execute()
          return after
        },
      }),
    delete: (id, check) =>
      checkedChange(database, check, {
        ...checkable(id),
        async write(on) {
          const deleted = await on.deleteFrom('sources').where('id', '=', id).executeTakeFirst()
          return deleted.numDeletedRows > 0n
        },
      }),
  }
}

function runs({ kysely }: Database, sealer: Sealer): Names<'runNow' | 'due' | 'begin' | 'end'> {
  return {
    async runNow(id, now) {
      const due = kysely.updateTable('sources').set({ due_at: now }).where('id', '=', id)
      return (await due.executeTakeFirst()).numUpdatedRows > 0n
    },
    async due(now) {
      const rows = kysely.selectFrom('sources').selectAll().where('enabled', '=', 1).where('due_at', '<=', now)
      return (await rows.orderBy('due_at').limit(100).execute()).map((row) => sourceOf(row, sealer))
    },
    async begin(id, now) {
      await kysely.updateTable('sources').set({ begun_at: now }).where('id', '=', id).execute()
    },
    end: ({ id, name, userId, everyMinutes }, run) =>
      kysely.transaction().execute(async (trx) => {
        const dueAt = run.endedAt + everyMinutes * minuteMs
        const ended = await trx
          .updateTable('sources')
          .set({ begun_at: null, last_run: JSON.stringify(run), due_at: dueAt })
          .where('id', '=', id)
          .executeTakeFirst()
        if (ended.numUpdatedRows === 0n) return
        const { outcome, imported, moved, deleted, unchanged, failed, errors } = run
        const data = { name, imported, moved, deleted, unchanged, failed, errors }
        await addEvent(trx, { type: `source.${outcome}`, subject: id, at: run.endedAt, userId, data })
      }),
  }
}

/** Without what was left out. */
function given(patch: SourcePatch): Partial<SourceFields> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}

function contextOf(id: string): string {
  return `sources.credential:${id}`
}

/** One that another key has sealed cannot be used: the source shows that it has none, and takes another. */
function openedOrNull(sealer: Sealer, sealed: string, id: string): Secret | null {
  try {
    return new Secret(sealer.open(sealed, contextOf(id)))
  } catch (thrown) {
    if (thrown instanceof SealError) return null
    throw thrown
  }
}

function rowOf(source: Source, sealer: Sealer): Selectable<SourcesTable> {
  const { id, credential } = source
  return {
    id,
    name: source.name,
    kind: source.kind,
    url: source.url,
    options: JSON.stringify(source.options),
    credential: credential && sealer.seal(credential.reveal(), contextOf(id)),
    user_id: source.userId,
    category: source.category,
    owners: source.owners && JSON.stringify(source.owners),
    every_minutes: source.everyMinutes,
    enabled: source.enabled ? 1 : 0,
    due_at: source.dueAt,
    begun_at: source.begunAt,
    last_run: source.lastRun && JSON.stringify(source.lastRun),
    created_at: source.createdAt,
  }
}

function sourceOf(row: Selectable<SourcesTable>, sealer: Sealer): Source {
  const { id, credential } = row
  return {
    id,
    name: row.name,
    kind: row.kind as SourceKind,
    url: row.url,
    options: JSON.parse(row.options) as Source['options'],
    credential: credential === null ? null : openedOrNull(sealer, credential, id),
    userId: row.user_id,
    category: row.category,
    owners: row.owners === null ? null : (JSON.parse(row.owners) as readonly string[]),
    everyMinutes: row.every_minutes,
    enabled: row.enabled === 1,
    dueAt: row.due_at,
    begunAt: row.begun_at,
    lastRun: row.last_run === null ? null : (JSON.parse(row.last_run) as SourceRun),
    createdAt: row.created_at,
  }
}
