/**
 * Run as a process of its own by the store's tests: `bun usage-process.ts <url> <rows>`. Records so
 * many rows and ends by itself, without waiting for them and without closing the store.
 */
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { aUsage } from './store-records.ts'

const [url, rows] = process.argv.slice(2)
if (url === undefined || rows === undefined) throw new Error('Usage: usage-process.ts <url> <rows>')

const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
void store.usage.insertMany(Array.from({ length: Number(rows) }, () => aUsage()))
