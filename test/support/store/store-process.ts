/**
 * Run as a process of its own by the store's tests: `bun store-process.ts <open|insert> <url>`.
 * - `open` opens the store, prints `ready` and ends.
 * - `insert` inserts keys one after the other until it is killed, and prints each id once the store
 *   has acknowledged it.
 */
import { writeSync } from 'node:fs'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { aKey, aUser } from './store-records.ts'

const [action, url] = process.argv.slice(2)
if (action === undefined || url === undefined) throw new Error('Usage: store-process.ts <open|insert> <url>')

const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
if (action === 'open') {
  writeSync(1, 'ready\n')
  await store.close()
} else {
  const user = aUser()
  await store.users.insert(user, null)
  for (;;) {
    const key = aKey(user.id)
    await store.keys.insert(key)
    // Synchronous, so that a printed line means an acknowledged key and nothing waits in a buffer.
    writeSync(1, `${key.id}\n`)
  }
}
