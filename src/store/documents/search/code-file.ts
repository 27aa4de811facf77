/**
 * The codes of a vector space in a file, so that a process that starts has them at once. The database decides what is
 * visible; the file only saves reading: a set's codes are taken from it when their mark is that of the set now, and
 * any other set is read from the database. A file that is cut off or of another format is as good as none.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync } from 'node:fs'
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
/** Codes that are read together, unless a single piece has more. */
const readTogether = 65_536
/** Nothing is written for so long. */
const abandonedAfterMs = 600_000

export interface CodeFile extends Disposable {
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

/** The file's codes; null when there is no usable one. The file is open until it is disposed. */
export function openCodeFile(file: string, codeBytes: number): CodeFile | null {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return null
  }
  const read = new OpenCodeFile(descriptor, codeBytes)
  if (read.isUsable) return read
  read[Symbol.dispose]()
  return null
}

/** Holds the list of pieces; the codes are read some megabytes at a time, so that a start needs little more than they take afterwards. */
class OpenCodeFile implements CodeFile {
  readonly isUsable: boolean
  readonly centres = new Set<number>()
  readonly #file: number
  readonly #codeBytes: number
  readonly #pieces: DataView
  readonly #codesAt: number
  readonly #scalesAt: number

  constructor(file: number, codeBytes: number) {
    this.#file = file
    this.#codeBytes = codeBytes
    const header = this.#view(0, headerBytes)
    const isOurs = header?.getUint32(0) === magic && header.getUint32(4) === codeBytes
    const [pieces, codes] = isOurs ? [header.getUint32(8), header.getUint32(12)] : [0, 0]
    this.#codesAt = headerBytes + pieces * pieceBytes
    this.#scalesAt = this.#codesAt + codes * codeBytes
    const isWhole = isOurs && fstatSync(file).size === this.#scalesAt + codes * scaleBytes
    const view = isWhole ? this.#view(headerBytes, pieces * pieceBytes) : null
    this.isUsable = view !== null
    this.#pieces = view ?? new DataView(new ArrayBuffer(0))
    for (let at = 0; at < this.#pieces.byteLength; at += pieceBytes) this.centres.add(this.#pieces.getUint32(at + 16))
  }

  addTo(
    index: CodeIndex,
    slotOf: (setRow: number, mark: number) => number | null,
    added: (slot: number) => void,
  ): void {
    let run: Run | null = null
    for (let at = 0; at < this.#pieces.byteLength; at += pieceBytes) {
      const { setRow, mark, first, centre, start, count } = this.#pieceAt(at)
      const slot = slotOf(setRow, mark)
      if (slot === null) continue
      if (run === null || run.end !== start || run.centre !== centre || run.end - run.start >= readTogether) {
        if (run !== null) this.#add(index, run)
        run = { centre, start, end: start, pieces: [] }
      }
      run.end += count
      run.pieces.push({ slot, first, count })
      added(slot)
    }
    if (run !== null) this.#add(index, run)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #add(index: CodeIndex, { centre, start, end, pieces }: Run): void {
    const [codes, scales] = [
      this.#bytes(this.#codesAt + start * this.#codeBytes, (end - start) * this.#codeBytes),
      this.#bytes(this.#scalesAt + start * scaleBytes, (end - start) * scaleBytes),
    ]
    if (codes === null || scales === null) throw new Error('The file of codes became shorter while it was read.')
    index.addRun({ centre, codes, scales, pieces })
  }

  #pieceAt(at: number): FilePiece {
    const view = this.#pieces
    return {
      setRow: view.getFloat64(at),
      mark: view.getUint32(at + 8),
      first: view.getUint32(at + 12),
      centre: view.getUint32(at + 16),
      start: view.getUint32(at + 20),
      count: view.getUint32(at + 24),
    }
  }

  #view(at: number, length: number): DataView | null {
    const bytes = this.#bytes(at, length)
    return bytes && new DataView(bytes.buffer)
  }

  /** Null when the file ends before. */
  #bytes(at: number, length: number): Uint8Array<ArrayBuffer> | null {
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length;) {
      const some = readSync(this.#file, bytes, done, length - done, at + done)
      if (some === 0) return null
      done += some
    }
    return bytes
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
