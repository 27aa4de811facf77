/** The settings that an administrator has stored in the database. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '#config/settings/records.ts'
import { databaseUrl } from '#setup/open-installation.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { readStoredSettings } from '#store/stored-settings.ts'

/** The stored values; none where there is no database yet, null where it cannot be read. */
export async function storedIn(settings: Settings): Promise<ReadonlyMap<string, unknown> | null> {
  const url = databaseUrl(settings, resolve(settings.data_dir))
  // Opening would make an empty one.
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length).replace(/^\/\//, ''))) return new Map()
  try {
    return await readStoredSettings(url)
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) return null
    throw thrown
  }
}
