/** Values of settings that were changed at run time. What a setting may be is not known here. */
import type { Database } from './database.ts'

export interface SettingStore {
  /** Every stored value by the setting's dotted name. */
  all(): Promise<ReadonlyMap<string, unknown>>
  /** Stores a value that JSON can hold, replacing an earlier one. */
  set(name: string, value: unknown, at: number): Promise<void>
  /** False when none was stored. */
  delete(name: string): Promise<boolean>
}

/** The stored settings of this database. */
export function settingStore({ kysely }: Database): SettingStore {
  return {
    async all() {
      const rows = await kysely.selectFrom('settings').select(['name', 'value']).orderBy('name').execute()
      return new Map(rows.map((row): [string, unknown] => [row.name, JSON.parse(row.value)]))
    },
    async set(name, value, at) {
      const json = JSON.stringify(value)
      await kysely
        .insertInto('settings')
        .values({ name, value: json, updated_at: at })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: json, updated_at: at }))
        .execute()
    },
    async delete(name) {
      const result = await kysely.deleteFrom('settings').where('name', '=', name).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}
