/**
 * Unpacks a large import request in a reading process: each content becomes a file, and what is said about the files
 * one small file of JSON. The server reads only that, in the way in which it reads a small request.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SpooledFile } from '../blobs/blob-store.ts'
import { FileTooLarge } from '../blobs/write-pieces.ts'
import { aboutBytesMax, parseAbout } from './about-import.ts'
import { itemContent, type ItemEncoding } from './item-content.ts'
import { splitImport } from './split-import.ts'

export interface UnpackWork {
  /** The request. */
  readonly file: string
  /** Where the files are written; they are the server's to move and to remove. */
  readonly directory: string
  readonly fileBytesMax: number
}

/** The content of an item, or why there is none. */
export type UnpackedContent =
  | { readonly kind: 'received'; readonly received: SpooledFile }
  | { readonly kind: 'not_base64' }
  | { readonly kind: 'too_large' }

export type UnpackedImport =
  | { readonly kind: 'not_utf8' }
  | { readonly kind: 'about_too_large' }
  /** A content has an escape that JSON does not allow. */
  | { readonly kind: 'invalid_json' }
  | {
      readonly kind: 'unpacked'
      /** The file with what is said about the files; it may be no JSON at all. */
      readonly about: string
      /** Each with the index of its item. */
      readonly contents: readonly (readonly [number, UnpackedContent])[]
    }

/** Takes the request apart. */
export async function unpackImport({ file, directory, fileBytesMax }: UnpackWork): Promise<UnpackedImport> {
  const body = Buffer.from(await Bun.file(file).arrayBuffer())
  if (!isUtf8(body)) return { kind: 'not_utf8' }
  const { about, contents } = splitImport(body)
  if (about.length > aboutBytesMax) return { kind: 'about_too_large' }
  let unpacked: readonly (readonly [number, UnpackedContent])[]
  try {
    unpacked = unpackContents(contents, encodings(about), { directory, fileBytesMax })
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return { kind: 'invalid_json' }
    throw thrown
  }
  const aboutFile = join(directory, 'about.json')
  await Bun.write(aboutFile, about)
  return { kind: 'unpacked', about: aboutFile, contents: unpacked }
}

function unpackContents(
  contents: ReadonlyMap<number, Buffer>,
  encodingOf: ((index: number) => ItemEncoding | null) | null,
  { directory, fileBytesMax }: Pick<UnpackWork, 'directory' | 'fileBytesMax'>,
): readonly (readonly [number, UnpackedContent])[] {
  if (encodingOf === null) return []
  return Array.from(contents, ([index, raw]) => {
    const path = join(directory, String(index))
    return [index, unpackContent(raw, encodingOf(index), { path, fileBytesMax })]
  })
}

function unpackContent(
  raw: Buffer,
  encoding: ItemEncoding | null,
  { path, fileBytesMax }: { readonly path: string; readonly fileBytesMax: number },
): UnpackedContent {
  const content = itemContent(raw, encoding)
  if (content.kind === 'not_base64') return content
  try {
    return { kind: 'received', received: write(path, content.source.pieces(), fileBytesMax) }
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return { kind: 'too_large' }
    throw thrown
  }
}

/** Without waiting: this process has nothing else to do, and a small file takes a third of the time. */
function write(path: string, pieces: Iterable<Uint8Array>, bytesMax: number): SpooledFile {
  const hash = createHash('sha256')
  let bytes = 0
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const piece of pieces) {
      bytes += piece.byteLength
      if (bytes > bytesMax) throw new FileTooLarge()
      hash.update(piece)
      writeFileSync(file, piece)
    }
  } catch (thrown) {
    unlinkSync(path)
    throw thrown
  } finally {
    closeSync(file)
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

/** The encoding that each item names; null when the request is not JSON, which the server finds out and answers. */
function encodings(about: Buffer): ((index: number) => ItemEncoding | null) | null {
  let request: unknown
  try {
    request = parseAbout(about)
  } catch {
    return null
  }
  const files = fieldOf(request, 'files')
  return (index) => {
    const encoding = Array.isArray(files) ? fieldOf(files[index], 'encoding') : null
    return encoding === 'base64' || encoding === 'utf-8' ? encoding : null
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
