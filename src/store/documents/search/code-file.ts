/**
 * The codes of a vector space in a file, so that a process that starts has them at once. The database decides what is
 * visible; the file only saves reading: a set's codes are taken from it when their mark is that of the set now, and
 * any other set is read from the database. A file that is cut off or of another format is as good as none.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CodeIndex } from './code-index.ts'

/** What a set's codes are told by, besides its number: the same number can come again in a database that was put back. */
export interface MarkedSets {
  setRowOf(slot: number): number
  markOf(slot: number): number
}

/** `SLUCODE` and the version of the format. */
const magic = 0x534c_5501
/** Magic, bytes of a code, pieces, codes; then for each piece the set as a double, then five numbers of 32 bits. */
const headerBytes = 16
const pieceBytes = 32
const scaleBytes = 4
/** Nothing is written for so long. */
const abandonedAfterMs = 600_000

export interface CodeFile {
  /** Numbers of the centres of its codes. */
  readonly centres: ReadonlySet<number>
  /**
   * Adds the codes of the sets for which `slotOf` returns a slot, in runs as long as they can be, and calls back with each
   * slot, as often as the set has pieces.
   */
  addTo(index: CodeIndex, slotOf: (setRow: number, mark: number) => number | null, added: (slot: number) => void): void
}

/** Where the codes of a vector space are kept. */
export function codeFileOf(directory: string, spaceRow: number): string {
  return join(directory, `space-${spaceRow}.codes`)
}

/** The vector spaces that have a file. */
export function storedSpaces(directory: string | null): readonly number[] {
  try {
    const names = directory === null ? [] : readdirSync(directory)
    return names.flatMap((name) => /^space-(\d+)\.codes$/.exec(name)?.slice(1).map(Number) ?? [])
  } catch {
    return []
  }
}

/** Writes all codes of the index; a file that is there is replaced in one step. */
export async function writeCodeFile(file: string, index: CodeIndex, sets: MarkedSets): Promise<void> {
  const bytes = fileBytes(index, sets)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const passing = `${file}.${crypto.randomUUID()}`
  try {
    const handle = await open(passing, 'w', 0o600)
    try {
      await handle.writeFile(bytes)
      // A power cut must not leave the name with other bytes behind it: marks tell sets, not bits.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(passing, file)
    await removeAbandoned(file)
  } catch (thrown) {
    await rm(passing, { force: true })
    throw thrown
  }
}

/** Removes what processes left that were killed while they wrote; one that writes at this moment is left alone. */
async function removeAbandoned(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`)) continue
    const passing = join(dirname(file), name)
    const written = await stat(passing).catch(() => null)
    if (written !== null && Date.now() - written.mtimeMs > abandonedAfterMs) await rm(passing, { force: true })
  }
}

/** The file's codes; null when there is no usable one. */
export function readCodeFile(file: string, codeBytes: number): CodeFile | null {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch {
    return null
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < headerBytes || view.getUint32(0) !== magic || view.getUint32(4) !== codeBytes) return null
  const [pieces, codes] = [view.getUint32(8), view.getUint32(12)]
  if (bytes.length !== headerBytes + pieces * pieceBytes + codes * (codeBytes + scaleBytes)) return null
  const codesAt = headerBytes + pieces * pieceBytes
  const scalesAt = codesAt + codes * codeBytes
  const pieceAt = (piece: number): FilePiece => {
    const at = headerBytes + piece * pieceBytes
    const [mark, first, centre] = [view.getUint32(at + 8), view.getUint32(at + 12), view.getUint32(at + 16)]
    return {
      setRow: view.getFloat64(at),
      mark,
      first,
      centre,
      start: view.getUint32(at + 20),
      count: view.getUint32(at + 24),
    }
  }
  const centres = new Set<number>()
  for (let piece = 0; piece < pieces; piece += 1) centres.add(view.getUint32(headerBytes + piece * pieceBytes + 16))
  return {
    centres,
    addTo(index, slotOf, added) {
      let run: Run | null = null
      const flush = (): void => {
        if (run === null) return
        const { centre, start, end, pieces: its } = run
        index.addRun({
          centre,
          codes: bytes.subarray(codesAt + start * codeBytes, codesAt + end * codeBytes),
          scales: bytes.subarray(scalesAt + start * scaleBytes, scalesAt + end * scaleBytes),
          pieces: its,
        })
      }
      for (let piece = 0; piece < pieces; piece += 1) {
        const { setRow, mark, first, centre, start, count } = pieceAt(piece)
        const slot = slotOf(setRow, mark)
        if (slot === null) continue
        if (run === null || run.end !== start || run.centre !== centre) {
          flush()
          run = { centre, start, end: start, pieces: [] }
        }
        run.end += count
        run.pieces.push({ slot, first, count })
        added(slot)
      }
      flush()
    },
  }
}

interface FilePiece {
  readonly setRow: number
  readonly mark: number
  readonly first: number
  readonly centre: number
  readonly start: number
  readonly count: number
}

/** Neighbouring pieces of one centre. */
interface Run {
  readonly centre: number
  readonly start: number
  end: number
  readonly pieces: { readonly slot: number; readonly first: number; readonly count: number }[]
}

/** Pieces in the order of their sets, so that those of one set are neighbours. */
function fileBytes(index: CodeIndex, sets: MarkedSets): Uint8Array {
  const codeBytes = index.coder.words * Uint32Array.BYTES_PER_ELEMENT
  const all = [...index.pieces()].map((piece) => ({ ...piece, setRow: sets.setRowOf(piece.slot) }))
  all.sort((a, b) => a.setRow - b.setRow || a.first - b.first)
  const codes = all.reduce((sum, { scales }) => sum + scales.length / scaleBytes, 0)
  const codesAt = headerBytes + all.length * pieceBytes
  const scalesAt = codesAt + codes * codeBytes
  const bytes = new Uint8Array(scalesAt + codes * scaleBytes)
  const view = new DataView(bytes.buffer)
  for (const [place, value] of [magic, codeBytes, all.length, codes].entries()) view.setUint32(4 * place, value)
  let start = 0
  for (const [piece, { slot, setRow, first, centre, codes: its, scales }] of all.entries()) {
    const count = scales.length / scaleBytes
    const at = headerBytes + piece * pieceBytes
    view.setFloat64(at, setRow)
    for (const [place, value] of [sets.markOf(slot), first, centre, start, count].entries()) {
      view.setUint32(at + 8 + 4 * place, value)
    }
    bytes.set(its, codesAt + start * codeBytes)
    bytes.set(scales, scalesAt + start * scaleBytes)
    start += count
  }
  return bytes
}
