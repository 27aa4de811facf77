/** Blobs in the database, for several processes that share neither a disk nor a bucket. Only PostgreSQL has them. */
import { eachOf } from '#lib/each-of.ts'
import type { StoredBytes } from '#store/documents/stored-bytes.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { BlobMissing, BlobsUnavailable, type BlobAddress, type BlobStore } from './blob-store.ts'
import type { Spool } from './spool.ts'

/** Bytes of a part: it and its spelling in PostgreSQL's protocol are what one file has in memory. */
const partBytes = 524_288
const listedTogether = 500
/** Connections that one import takes. */
const writtenAtOnce = 2

/** Rejects with BlobsUnavailable when the database cannot be used. */
export function databaseBlobs(store: StoredBytes, spool: Spool): BlobStore {
  async function* parts(address: BlobAddress): AsyncGenerator<Uint8Array, void> {
    let next = store.part(address, 0)
    for (let part = 1; ; part += 1) {
      const bytes = await next.catch(unavailable)
      if (bytes === null) return
      next = store.part(address, part)
      // Its reader may stop before it is asked for.
      next.catch(() => undefined)
      yield bytes
    }
  }
  return {
    place: async () => 'database',
    async put(received) {
      await eachOf(received, writtenAtOnce, async ({ path, id, sha256 }) => {
        const file = Bun.file(path)
        if (!(await file.exists())) return
        const pieces = file.size <= partBytes ? await file.bytes() : piecesOf(file)
        await store.write({ id, sha256 }, pieces).catch(unavailable)
      })
      return 'copied'
    },
    async open(address) {
      const received = await spool.receive(parts(address), Number.MAX_SAFE_INTEGER)
      const blob = { path: received.path, [Symbol.asyncDispose]: () => spool.discard(received) }
      if (received.sha256 === address.sha256) return blob
      await spool.discard(received)
      if (received.bytes === 0) throw new BlobMissing('The stored bytes of this document are gone. Import it again.')
      return unavailable(new Error('the stored bytes are not what was stored'))
    },
    remove: (address) => store.remove(address).catch(unavailable),
    listOf: (id) => store.listOf(id).catch(unavailable),
    async *list() {
      let after: BlobAddress | null = null
      do {
        const some: readonly BlobAddress[] = await store.list(after, listedTogether).catch(unavailable)
        yield* some
        after = some.length < listedTogether ? null : (some.at(-1) ?? null)
      } while (after !== null)
    },
  }
}

async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array, void> {
  for (let start = 0; start < file.size; start += partBytes)
    yield new Uint8Array(await file.slice(start, start + partBytes).arrayBuffer())
}

function unavailable(thrown: unknown): never {
  if (thrown instanceof BlobsUnavailable) throw thrown
  const cause = thrown instanceof StoreUnavailable ? thrown.cause : thrown
  throw new BlobsUnavailable('The store of the imported files cannot be used at the moment. Try again shortly.', {
    cause,
  })
}
