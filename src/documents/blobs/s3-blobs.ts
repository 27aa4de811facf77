/**
 * Blobs in an S3-compatible store, through Bun's client (https://bun.com/docs/runtime/s3): objects
 * named `<prefix><id>/<sha256>`. For several processes that share no disk.
 */
import { S3Client, type S3Options } from 'bun'
import { eachOf } from '#lib/each-of.ts'
import { BlobMissing, BlobsUnavailable, type BlobAddress, type BlobStore } from './blob-store.ts'
import type { Spool } from './spool.ts'

/** Uploads of one import that run at the same time. */
const writtenAtOnce = 8

/** Rejects with BlobsUnavailable when the store refuses a call or cannot be reached. */
export function s3Blobs(options: S3Options, spool: Spool, prefix = 'documents/'): BlobStore {
  const client = new S3Client(options)
  const keyOf = ({ id, sha256 }: BlobAddress): string => `${prefix}${id}/${sha256}`

  async function* addresses(under: string): AsyncGenerator<BlobAddress, void> {
    let continuationToken: string | undefined
    do {
      const query = { prefix: under, ...(continuationToken !== undefined && { continuationToken }) }
      const page = await client.list(query).catch(unavailable)
      for (const { key } of page.contents ?? []) {
        const [, id, sha256] = /^([^/]+)\/([0-9a-f]{64})$/.exec(key.slice(prefix.length)) ?? []
        if (id !== undefined && sha256 !== undefined) yield { id, sha256 }
      }
      continuationToken = page.isTruncated === true ? page.nextContinuationToken : undefined
    } while (continuationToken !== undefined)
  }

  return {
    place: async () => `s3:${options.bucket ?? ''}`,
    async put(received) {
      await eachOf(received, writtenAtOnce, async (blob) => {
        const file = Bun.file(blob.path)
        if (await file.exists()) await client.write(keyOf(blob), file).catch(unavailable)
      })
      return 'copied'
    },
    async open(address) {
      const stream = client.file(keyOf(address)).stream()
      const received = await spool.receive(pieces(stream), Number.MAX_SAFE_INTEGER)
      if (received.sha256 !== address.sha256) {
        await spool.discard(received)
        throw unavailableBecause(new Error('the object is not what was stored'))
      }
      return { path: received.path, [Symbol.asyncDispose]: () => spool.discard(received) }
    },
    remove: (address) => client.delete(keyOf(address)).catch(unavailable),
    listOf: (id) => Array.fromAsync(addresses(`${prefix}${id}/`)),
    list: () => addresses(prefix),
  }
}

/** The pieces of an object. Rejects with BlobMissing or BlobsUnavailable. */
export async function* pieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(unavailable)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Throws what a failed call of the client means: BlobMissing or BlobsUnavailable. */
export function unavailable(thrown: unknown): never {
  if (codeOf(thrown) === 'NoSuchKey')
    throw new BlobMissing('The stored bytes of this document are gone. Import it again.')
  throw unavailableBecause(thrown)
}

/** What the store answered is for the log: the bucket and the address of an installation concern no user. */
function unavailableBecause(thrown: unknown): BlobsUnavailable {
  const code = codeOf(thrown)
  const cause = new Error(`the S3 store failed: ${code ?? (thrown instanceof Error ? thrown.message : String(thrown))}`)
  return new BlobsUnavailable('The store of the imported files cannot be used at the moment. Try again shortly.', {
    cause,
  })
}

function codeOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null
}
