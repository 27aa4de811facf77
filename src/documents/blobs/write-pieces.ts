/** Writes bytes that arrive piece by piece to a new file, hashed on the way. */
import { createHash } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
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
    await using file = await open(path, 'wx', 0o600)
    for await (const piece of pieces) {
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

/** Removes a file; it may be gone already. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown
  })
}
