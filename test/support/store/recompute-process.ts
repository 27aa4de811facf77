/**
 * Run as a process of its own by the store's tests: `bun recompute-process.ts <url>`. Prices all records again and again,
 * by other prices each time, says when it has begun, and never ends by itself.
 */
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { models, recomputeAll } from './priced-usage.ts'

const [url] = process.argv.slice(2)
if (url === undefined) throw new Error('Usage: recompute-process.ts <url>')

const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
for (let round = 1; ; round += 1) {
  const { changed } = await recomputeAll(store, models((process.pid + round) * 1000))
  if (round === 1) process.stdout.write(`${changed}\n`)
}
