/**
 * Run as a process of its own by tests of migrations: `bun migrate-process.ts <url> <next|second>` opens the store with
 * the migrations of a later version, prints a line after each batch before it is committed, and `ready` at the end.
 */
import { writeSync } from 'node:fs'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { nextVersion, secondNextVersion } from './next-migrations.ts'

const [url, which] = process.argv.slice(2)
if (url === undefined) throw new Error('Usage: migrate-process.ts <url> <next|second>')

const migrations =
  which === 'second' ? secondNextVersion() : nextVersion({ onBatch: (batches) => writeSync(1, `batch ${batches}\n`) })
const store = await openStore({ url, sealer: sealer(new Uint8Array(32)), migrations })
writeSync(1, 'ready\n')
await store.close()
