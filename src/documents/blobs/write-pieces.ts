/** Writes bytes that arrive piece by piece to a new file, hashed on the way. */
import { createHash } from 'node:crypto'
import { open, unlink, writeFile } from 'node:fs/promises'
import type { SpooledFile } from './blob-store.ts'

/** Pieces of a file in their order. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** More bytes than the limit; nothing is kept of them. */
export class FileTooLarge extends Error {}

/** Writes the pieces to a file. Rejects with FileTooLarge, or with the error of the source; then no file is left. */
export async function writePieces(path: string, pieces: Pieces, bytesMax: number): Promise<SpooledFile> {
  const hash = createHash('sha256')
  const file = await write(path, pieces, { bytesMax, onPiece: (piece) => hash.update(piece) })
  return { ...file, sha256: hash.digest('hex') }
}

/** The same without a hash. */
export function holdPieces(path: string, pieces: Pieces, bytesMax: number): Promise<Omit<SpooledFile, 'sha256'>> {
  return write(path, pieces, { bytesMax, onPiece: () => undefined })
}

interface WriteOptions {
  readonly bytesMax: number
  readonly onPiece: (piece: Uint8Array) => unknown
}

async function write(path: string, pieces: Pieces, options: WriteOptions): Promise<Omit<SpooledFile, 'sha256'>> {
  let bytes = 0
  try {
    const all = Symbol.iterator in pieces ? singleOrAll(pieces) : pieces
    if (all instanceof Uint8Array && all.byteLength <= options.bytesMax) {
      options.onPiece(all)
      // One call in place of opening, writing and closing: of many small files that is most of the work.
      await writeFile(path, all, { flag: 'wx', mode: 0o600 })
      return { path, bytes: all.byteLength }
    }
    await using file = await open(path, 'wx', 0o600)
    for await (const piece of all instanceof Uint8Array ? [all] : all) {
      bytes += piece.byteLength
      if (bytes > options.bytesMax) throw new FileTooLarge()
      options.onPiece(piece)
      await file.writeFile(piece)
    }
  } catch (thrown) {
    await removeFile(path)
    throw thrown
  }
  return { path, bytes }
}

/** The piece, when there is just one. */
function singleOrAll(pieces: Iterable<Uint8Array>): Uint8Array | Iterable<Uint8Array> {
  const rest = pieces[Symbol.iterator]()
  const first = rest.next()
  if (first.done === true) return []
  const second = rest.next()
  if (second.done === true) return first.value
  return (function* again() {
    yield first.value
    yield second.value
    yield* { [Symbol.iterator]: () => rest }
  })()
}

/** Removes a file; it may be gone already. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown
  })
}
