/** The stored settings of a database that nobody has opened: for commands that only look. */
import { openDatabase } from './database.ts'
import { withAvailability } from './errors.ts'
import { settingStore } from './settings.ts'

/** Reads the values without bringing the schema up to date. Throws StoreUnavailable. */
export async function readStoredSettings(url: string): Promise<ReadonlyMap<string, unknown>> {
  const database = openDatabase({ url, poolMax: 1 })
  try {
    return await withAvailability(settingStore(database)).all()
  } finally {
    await database.close()
  }
}
