/** API keys. Only their digests are stored, never their secrets. */
import { sql, type Kysely, type Selectable } from 'kysely'
import type { ApiKey, KeyArea, Priority } from '#identity/records.ts'
import { checkedChange, checkRow, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'
import type { Page } from '../page.ts'
import type { ApiKeysTable, Columns, Tables } from '../schema.ts'
import { listKeyRows, type KeyQuery } from './key-list.ts'

export type KeyPatch = Partial<
  Pick<ApiKey, 'name' | 'description' | 'expiresAt' | 'scopes' | 'priority' | 'publicId' | 'digest' | 'previous'>
>

/** When a key was last seen. */
export interface KeyTouch {
  readonly keyId: string
  readonly lastUsedAt: number
}

export interface KeyStore {
  /** A page of keys. Throws InvalidCursor. */
  list(query: KeyQuery): Promise<Page<ApiKey>>
  /** Every key, in the order of creation. */
  all(): Promise<readonly ApiKey[]>
  get(id: string): Promise<ApiKey | null>
  /** Those of these keys that exist, in any order. */
  some(ids: readonly string[]): Promise<readonly ApiKey[]>
  /** Throws Missing when the user does not exist, and NameTaken for a public id or digest that is in use. */
  insert(key: ApiKey): Promise<void>
  /** The key as changed, or null when there is none. */
  update(id: string, patch: KeyPatch, check?: Check<ApiKey>): Promise<ApiKey | null>
  /** Deletes the keys, of this user only when one is given, in one step; returns the ids that were deleted. */
  delete(ids: readonly string[], owner?: { readonly userId: string }, check?: Check<ApiKey>): Promise<readonly string[]>
  /** Notes when keys were last used. A time never moves backwards; a key that is gone is passed over. */
  touch(touches: readonly KeyTouch[]): Promise<void>
}

/** Keys per statement of `touch`: two parameters each, far below SQLite's 32,766. */
const touchesMax = 1000

/** Ids per statement of `some`. */
const idsMax = 1000

/** The API keys of this database. */
export function keyStore(database: Database): KeyStore {
  const { kysely } = database
  return {
    list: (query) => listKeyRows(database, query, keyOf),
    async all() {
      const rows = await kysely.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(keyOf)
    },
    get: (id) => readKey(kysely, id),
    async some(ids) {
      const found: ApiKey[] = []
      for (let start = 0; start < ids.length; start += idsMax) {
        const some = ids.slice(start, start + idsMax)
        const rows = await kysely.selectFrom('api_keys').selectAll().where('id', 'in', some).execute()
        for (const row of rows) found.push(keyOf(row))
      }
      return found
    },
    async insert(key) {
      await refusing({ taken: key.publicId, reference: new Missing('user') }, () =>
        kysely.insertInto('api_keys').values(rowOf(key)).execute(),
      )
    },
    async update(id, patch, check) {
      const write = (on: Kysely<Tables>) =>
        on
          .updateTable('api_keys')
          // The id makes an empty patch a valid statement.
          .set({ id, ...columnsOf(patch) })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
      const row = await checkedChange(database, check, { table: 'api_keys', id, read: (on) => readKey(on, id), write })
      return row === undefined ? null : keyOf(row)
    },
    async delete(ids, owner, check) {
      if (ids.length === 0) return []
      if (check === undefined) return deleteKeys(kysely, ids, owner)
      return kysely.transaction().execute(async (trx) => {
        for (const id of ids.toSorted())
          await checkRow(database, trx, check, { table: 'api_keys', id, read: (on) => readKey(on, id) })
        return deleteKeys(trx, ids, owner)
      })
    },
    async touch(touches) {
      for (let start = 0; start < touches.length; start += touchesMax) {
        await touchSome(database, touches.slice(start, start + touchesMax))
      }
    },
  }
}

async function readKey(on: Kysely<Tables>, id: string): Promise<ApiKey | null> {
  const row = await on.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : keyOf(row)
}

async function deleteKeys(
  on: Kysely<Tables>,
  ids: readonly string[],
  owner: { readonly userId: string } | undefined,
): Promise<readonly string[]> {
  let remove = on.deleteFrom('api_keys').where('id', 'in', ids)
  if (owner !== undefined) remove = remove.where('user_id', '=', owner.userId)
  const rows = await remove.returning('id').execute()
  return rows.map((row) => row.id)
}

async function touchSome({ engine, kysely }: Database, touches: readonly KeyTouch[]): Promise<void> {
  const pairs = touches.map(({ keyId, lastUsedAt }) => sql`(${keyId}, cast(${lastUsedAt} as bigint))`)
  await kysely.transaction().execute(async (trx) => {
    if (engine === 'postgres') {
      // Replicas touch the same busy keys at the same time. UPDATE locks rows in any order and two
      // could wait for each other, so the rows are locked first, in one order for all.
      const ids = touches.map((touch) => touch.keyId)
      await trx.selectFrom('api_keys').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
    }
    // Both engines name the columns of a bare VALUES column1, column2. The group by keeps the latest
    // time when a key comes twice: UPDATE … FROM would take either.
    await sql`
      update api_keys set last_used_at = seen.at
      from (select column1 as id, max(column2) as at from (values ${sql.join(pairs)}) as pairs group by column1) as seen
      where api_keys.id = seen.id and coalesce(api_keys.last_used_at, 0) < seen.at
    `.execute(trx)
  })
}

function rowOf(key: ApiKey): ApiKeysTable {
  return {
    id: key.id,
    public_id: key.publicId,
    digest: key.digest,
    previous_public_id: key.previous?.publicId ?? null,
    previous_digest: key.previous?.digest ?? null,
    previous_until: key.previous?.until ?? null,
    name: key.name,
    description: key.description,
    user_id: key.userId,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
    scope_models: jsonOrNull(key.scopes.modelIds),
    scope_areas: jsonOrNull(key.scopes.areas),
    priority: key.priority,
  }
}

function columnsOf(patch: KeyPatch): Columns<ApiKeysTable> {
  const { name, description, expiresAt, scopes, priority, publicId, digest, previous } = patch
  return {
    public_id: publicId,
    digest,
    previous_public_id: previous && previous.publicId,
    previous_digest: previous && previous.digest,
    previous_until: previous && previous.until,
    name,
    description,
    expires_at: expiresAt,
    scope_models: scopes && jsonOrNull(scopes.modelIds),
    scope_areas: scopes && jsonOrNull(scopes.areas),
    priority,
  }
}

function keyOf(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    publicId: row.public_id,
    digest: row.digest,
    previous: previousOf(row),
    name: row.name,
    description: row.description,
    userId: row.user_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    scopes: {
      modelIds: row.scope_models === null ? null : (JSON.parse(row.scope_models) as readonly string[]),
      areas: row.scope_areas === null ? null : (JSON.parse(row.scope_areas) as readonly KeyArea[]),
    },
    priority: (row.priority as Priority | null) ?? 'normal',
  }
}

function previousOf(row: Selectable<ApiKeysTable>): ApiKey['previous'] {
  const { previous_public_id: publicId, previous_digest: digest, previous_until: until } = row
  return publicId === null || digest === null || until === null ? null : { publicId, digest, until }
}

function jsonOrNull(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list)
}
