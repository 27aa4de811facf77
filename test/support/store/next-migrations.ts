/**
 * Versions of Sluice that do not exist: what a later release could do to tables that every request depends on.
 */
import { sql, type Transaction } from 'kysely'
import { migrations } from '#store/migrate.ts'
import { knownSchema, type Contract, type Expand, type Migration } from '#store/migrating/migration.ts'
import type { Tables } from '#store/schema.ts'

/** Schema of this version, and of the two after it. */
export const known = knownSchema(migrations)
const [expandVersion, contractVersion] = [known + 1, known + 2]

export interface Watched {
  /** A batch is done and not committed. */
  readonly onBatch?: (batches: number) => void
  /** Rows in a batch. */
  readonly batchRows?: number
}

/** A column, a value for it in every row, and an index on it, without which the code of the version after cannot work. */
export function expandKeys({ onBatch, batchRows = 2 }: Watched = {}): Expand {
  let batches = 0
  return {
    version: expandVersion,
    name: 'next expand',
    kind: 'expand',
    run: async (trx) => void (await sql`alter table api_keys add column fills integer not null default 0`.execute(trx)),
    async backfill(trx, _engine, position) {
      const ids = await keysAfter(trx, position, batchRows)
      // A row that is filled twice would show it.
      for (const id of ids) await sql`update api_keys set fills = fills + 1 where id = ${id}`.execute(trx)
      onBatch?.((batches += 1))
      return ids.length < batchRows ? null : (ids.at(-1) ?? null)
    },
    indexes: [{ name: 'api_keys_fills', on: 'on api_keys (fills)' }],
  }
}

async function keysAfter(trx: Transaction<Tables>, position: string | null, limit: number): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '>', position ?? '')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Keys that this version adds, without the column, are refused from then on. */
export const contractKeys: Contract = {
  version: contractVersion,
  name: 'next contract',
  kind: 'contract',
  needs: expandVersion,
  async run(trx, engine) {
    if (engine === 'postgres') await sql`alter table api_keys alter column fills drop default`.execute(trx)
  },
}

/** The migrations of the next version. */
export function nextVersion(watched?: Watched): readonly Migration[] {
  return [...migrations, expandKeys(watched)]
}

/** Those of the version after it, which takes away what this one needs. */
export function secondNextVersion(): readonly Migration[] {
  return [...nextVersion(), contractKeys]
}
