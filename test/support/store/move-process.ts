/**
 * Run as a process of its own by the store's tests: `bun move-process.ts <url> <Qdrant as JSON>`. Moves vectors there, says
 * when the first of them are, and goes on.
 */
import { sealer } from '#lib/seal.ts'
import type { QdrantAddress } from '#store/documents/vector-places.ts'
import { openStore } from '#store/store.ts'

const [url, qdrant] = process.argv.slice(2)
if (url === undefined || qdrant === undefined) throw new Error('Usage: move-process.ts <url> <qdrant>')

const store = await openStore({
  url,
  sealer: sealer(new Uint8Array(32)),
  qdrant: JSON.parse(qdrant) as QdrantAddress,
})
for (let steps = 1; ; steps += 1) {
  await store.documents.moveVectors('qdrant')
  if (steps === 1) process.stdout.write('moving\n')
}
