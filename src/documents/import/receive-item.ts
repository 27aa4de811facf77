/** Brings the bytes of one item into the spool, or says why the item is invalid. */
import { openRooted } from '#lib/rooted-file.ts'
import { startBytes } from '#readers/types/signature.ts'
import type { SpooledFile } from '../blobs/blob-store.ts'
import type { Spool } from '../blobs/spool.ts'
import { FileTooLarge } from '../blobs/write-pieces.ts'
import { bytesSource, fileSource, type ByteSource, type MemorySource } from '../unpacking/byte-source.ts'
import type { ImportItem } from './import-request.ts'

/** Why an item was not imported; stable, part of the answer. */
export type InvalidCode =
  | 'invalid_field'
  | 'doc_id_repeated'
  | 'no_content'
  | 'bytes_and_path'
  | 'not_base64'
  | 'empty'
  | 'too_large'
  | 'unsupported_type'
  | 'encrypted'
  | 'invalid_path'
  | 'invalid_url'
  | 'unknown_category'
  | 'unknown_owner'
  | 'owner_not_allowed'
  | 'doc_id_taken'

export interface Invalid {
  readonly code: InvalidCode
  readonly message: string
}

export type ReceiveResult =
  | {
      readonly kind: 'received'
      readonly received: SpooledFile
      /** The beginning of what was in memory; null of any other file. */
      readonly start: Uint8Array | null
    }
  | { readonly kind: 'invalid'; readonly reason: Invalid }

export interface ReceiveOptions {
  readonly spool: Spool
  readonly fileBytesMax: number
  readonly importRoots: readonly string[]
  /** Whether web addresses are taken. */
  readonly urls: boolean
}

export async function receiveItem({ origin, path }: ImportItem, options: ReceiveOptions): Promise<ReceiveResult> {
  switch (origin.kind) {
    case 'content':
      return receiveMemory(origin.source, options)
    case 'received':
      return notEmpty(origin.received, options.spool)
    case 'path':
      return receivePath(path, options)
    case 'url':
      return options.urls
        ? receive(bytesSource(addressFile(origin.url)), options)
        : invalid('invalid_url', 'This server fetches no web addresses. Send the content in "bytes".')
    case 'too_large':
      return tooLarge(options)
    case 'not_base64':
      return invalid(
        'not_base64',
        'The content is not valid base64. Send base64, or set "encoding" to "utf-8" for text.',
      )
    case 'none':
      return invalid(
        'no_content',
        'The item has no content: "bytes", "path" and "url" are all missing or empty. Send one of them.',
      )
    case 'both':
      return invalid('bytes_and_path', 'The item has more than one of "bytes", "path" and "url". Send one of them.')
  }
}

/** The content until the page was fetched. Never the same twice, so that another import of the address looks at it again. */
function addressFile(url: URL): Buffer {
  return Buffer.from(`${url.href}\n${crypto.randomUUID()}\n`)
}

async function receivePath(path: string, options: ReceiveOptions): Promise<ReceiveResult> {
  const file = await openRooted(path, options.importRoots)
  if (file === null)
    return invalid('invalid_path', 'There is no file at this path that may be imported. Send the content in "bytes".')
  try {
    const { size } = await file.stat()
    return size > options.fileBytesMax ? tooLarge(options) : await receive(fileSource(file, size), options)
  } finally {
    await file.close()
  }
}

async function receive(source: ByteSource, options: ReceiveOptions): Promise<ReceiveResult> {
  try {
    return await notEmpty(await options.spool.receive(source.pieces(), options.fileBytesMax), options.spool)
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return tooLarge(options)
    throw thrown
  }
}

async function receiveMemory(source: MemorySource, options: ReceiveOptions): Promise<ReceiveResult> {
  let start: Uint8Array | null = null
  function* pieces(): Generator<Uint8Array> {
    for (const piece of source.pieces()) {
      start ??= piece.subarray(0, startBytes)
      yield piece
    }
  }
  const result = await receive({ pieces }, options)
  return result.kind === 'received' ? { ...result, start } : result
}

async function notEmpty(received: SpooledFile, spool: Spool): Promise<ReceiveResult> {
  if (received.bytes > 0) return { kind: 'received', received, start: null }
  await spool.discard(received)
  return invalid('empty', 'The file is empty.')
}

function tooLarge({ fileBytesMax }: ReceiveOptions): ReceiveResult {
  return invalid('too_large', `The file is larger than ${fileBytesMax} bytes, the limit of this server.`)
}

function invalid(code: InvalidCode, message: string): ReceiveResult {
  return { kind: 'invalid', reason: { code, message } }
}
