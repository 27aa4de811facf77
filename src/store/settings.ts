/** Values of settings that were changed at run time. What a setting may be is not known here. */
import type { Transaction } from 'kysely'
import { changingNamed, type Check } from './checked-change.ts'
import type { Database } from './database.ts'
import type { Tables } from './schema.ts'

/** Gets the stored value, undefined when there is none. */
export type StoredCheck = Check<unknown>

export interface SettingStore {
  /** Every stored value by the setting's dotted name. */
  all(): Promise<ReadonlyMap<string, unknown>>
  /** Stores a value that JSON can hold, replacing an earlier one. */
  set(name: string, value: unknown, at: number, check?: StoredCheck): Promise<void>
  /** False when none was stored. */
  delete(name: string, check?: StoredCheck): Promise<boolean>
}

/** The stored settings of this database. */
export function settingStore(database: Database): SettingStore {
  const { kysely } = database
  const changing = <T>(name: string, check: StoredCheck | undefined, write: (trx: Transaction<Tables>) => Promise<T>) =>
    changingNamed(database, `setting ${name}`, async (trx) => {
      const row = await trx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
      check?.(row && JSON.parse(row.value))
      return write(trx)
    })
  return {
    async all() {
      const rows = await kysely.selectFrom('settings').select(['name', 'value']).orderBy('name').execute()
      return new Map(rows.map((row): [string, unknown] => [row.name, JSON.parse(row.value)]))
    },
    async set(name, value, at, check) {
      const json = JSON.stringify(value)
      await changing(name, check, (trx) =>
        trx
          .insertInto('settings')
          .values({ name, value: json, updated_at: at })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: json, updated_at: at }))
          .execute(),
      )
    },
    async delete(name, check) {
      const result = await changing(name, check, (trx) =>
        trx.deleteFrom('settings').where('name', '=', name).executeTakeFirst(),
      )
      return result.numDeletedRows > 0n
    },
  }
}
