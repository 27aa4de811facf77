/**
 * Blobs in an S3-compatible store, through Bun's client (https://bun.com/docs/runtime/s3): objects
 * named `documents/<id>/<sha256>`. For several processes that share no disk.
 */
import { S3Client, type S3Options } from 'bun'
import { BlobMissing, type BlobAddress, type BlobStore } from './blob-store.ts'
import type { Spool } from './spool.ts'

const prefix = 'documents/'

export function s3Blobs(options: S3Options, spool: Spool): BlobStore {
  const client = new S3Client(options)
  const keyOf = ({ id, sha256 }: BlobAddress): string => `${prefix}${id}/${sha256}`

  async function* addresses(under: string): AsyncGenerator<BlobAddress, void> {
    let continuationToken: string | undefined
    do {
      const page = await client.list({ prefix: under, ...(continuationToken !== undefined && { continuationToken }) })
      for (const { key } of page.contents ?? []) {
        const [, id, sha256] = /^documents\/([^/]+)\/([0-9a-f]{64})$/.exec(key) ?? []
        if (id !== undefined && sha256 !== undefined) yield { id, sha256 }
      }
      continuationToken = page.isTruncated === true ? page.nextContinuationToken : undefined
    } while (continuationToken !== undefined)
  }

  return {
    async keep(received, id) {
      const file = Bun.file(received.path)
      if (await file.exists()) await client.write(keyOf({ id, sha256: received.sha256 }), file)
    },
    async open(address) {
      const object = client.file(keyOf(address))
      if (!(await object.exists()))
        throw new BlobMissing('The stored bytes of this document are gone. Import it again.')
      const received = await spool.receive(streamed(object.stream()), Number.MAX_SAFE_INTEGER)
      return { path: received.path, [Symbol.asyncDispose]: () => spool.discard(received) }
    },
    remove: (address) => client.delete(keyOf(address)),
    of: (id) => Array.fromAsync(addresses(`${prefix}${id}/`)),
    list: () => addresses(prefix),
  }
}

async function* streamed(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of stream) yield piece
}
