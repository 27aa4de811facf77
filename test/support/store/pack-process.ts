/**
 * Run as a process of its own by the store's tests: `bun pack-process.ts <url>`. Packs the words of stored chunks, and
 * says after each step how many it has looked at.
 */
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'

const [url] = process.argv.slice(2)
if (url === undefined) throw new Error('Usage: pack-process.ts <url>')

const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
for (;;) {
  const looked = await store.documents.packWords()
  process.stdout.write(`${looked}\n`)
  if (looked === 0) break
}
await store.close()
