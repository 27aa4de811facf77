/**
 * The place in memory: the codes of each vector space that was searched, kept equal to the visible sets that no other
 * place holds.
 */
import type { Connection } from '../../database.ts'
import { plainScales, signCoder } from '../indexing/sign-code.ts'
import { floatsOf } from '../indexing/vector-bytes.ts'
import { isOneOf } from '../statements.ts'
import { codeFileOf, openCodeFile, storedSpaces, writeCodeFile, type CodeFile } from './code-file.ts'
import { CodeIndex, type CodePiece } from './code-index.ts'
import type { AllowedSets, NearQuery, NearRow, VectorIndex, VectorSpace } from '../places/vector-index.ts'
import type { VisibleSets } from './visible-sets.ts'

interface Space {
  readonly index: CodeIndex
  /** Sets in these slots whose codes have not been read yet. */
  readonly missing: Map<number, number>
  /** Codes of an earlier process, while some are missing. */
  file: CodeFile | null
  /** Sets that came or went since the codes were last written to the file. */
  unsaved: number
}

export interface CodeFiles {
  /** Where the codes are kept for the next process; null keeps them nowhere. */
  readonly directory: string | null
  /** False only reads them: another thread writes. */
  readonly write: boolean
}

/** Sets whose codes are read by one statement. */
const readTogether = 2000
/** Changes after which the codes are written again: a part of the sets, and at least so many. */
const saved = { part: 0.05, min: 2000 }
/** Sets that were loaded at once, after which their memory is given back at once. */
const collectedAfter = 10_000
/** Candidates that the codes give. */
const candidates = 3072

export class MemoryIndex implements VectorIndex {
  readonly place = 'memory'
  readonly #sets: VisibleSets
  readonly #files: CodeFiles
  readonly #spaces = new Map<number, Space>()

  constructor(sets: VisibleSets, files: CodeFiles) {
    this.#sets = sets
    this.#files = files
  }

  /** Takes over what has changed in the visible sets; the codes of new ones are read when they are needed. */
  takeChanges(): void {
    const { added, removed } = this.#sets.takeChanges()
    for (const { slot, spaceRow } of removed) {
      const space = this.#spaces.get(spaceRow)
      if (space === undefined) continue
      space.index.remove(slot)
      space.missing.delete(slot)
      space.unsaved += 1
    }
    for (const { slot, setRow, spaceRow } of added) this.#spaces.get(spaceRow)?.missing.set(slot, setRow)
  }

  /** Takes over the spaces that have files. */
  async fill(reading: Connection): Promise<void> {
    const spaces = await reading.kysely
      .selectFrom('vector_spaces')
      .select(['row', 'dimensions'])
      .where(isOneOf(reading.engine, 'row', storedSpaces(this.#files.directory)))
      .execute()
    for (const space of spaces) await load(reading, this.#spaceOf(space), this.#sets)
  }

  /** Reads the codes of all spaces that have been searched. */
  async load(reading: Connection): Promise<void> {
    for (const space of this.#spaces.values()) await load(reading, space, this.#sets)
  }

  /** Writes the codes that have changed since they were written, all or when they are enough. */
  async save(which: 'changed' | 'much changed'): Promise<void> {
    const { directory, write } = this.#files
    if (directory === null || !write) return
    for (const [row, space] of this.#spaces) {
      const enough = which === 'changed' ? 1 : Math.max(saved.min, this.#sets.size * saved.part)
      if (space.unsaved < enough) continue
      space.unsaved = 0
      // A full disk costs the next start some time, and nothing else.
      await writeCodeFile(codeFileOf(directory, row), space.index, this.#sets).catch(() => undefined)
    }
  }

  async near(
    reading: Connection,
    { has }: AllowedSets,
    { space: { row, dimensions }, vector, limit }: NearQuery,
  ): Promise<readonly NearRow[]> {
    const space = this.#spaceOf({ row, dimensions })
    await load(reading, space, this.#sets)
    const setRowOf = (slot: number): number => this.#sets.setRowOf(slot)
    return space.index.nearest({ vector, has, setRowOf, count: Math.max(candidates, limit), wanted: limit })
  }

  #spaceOf({ row, dimensions }: VectorSpace): Space {
    const known = this.#spaces.get(row)
    if (known !== undefined) return known
    const index = new CodeIndex(signCoder(dimensions))
    const { directory } = this.#files
    const codeBytes = index.coder.words * Uint32Array.BYTES_PER_ELEMENT
    const file = directory === null ? null : openCodeFile(codeFileOf(directory, row), codeBytes)
    const made = { index, missing: new Map(this.#sets.inSpace(row)), file, unsaved: 0 }
    this.#spaces.set(row, made)
    return made
  }
}

async function load(reading: Connection, space: Space, sets: VisibleSets): Promise<void> {
  const { index, missing } = space
  const isMuch = missing.size >= collectedAfter
  if (space.file !== null) {
    if (missing.size > 0) await loadFile(reading, space, space.file, sets)
    space.file[Symbol.dispose]()
    space.file = null
  }
  while (missing.size > 0) {
    const some = new Map<number, number>()
    for (const [slot, setRow] of missing) {
      some.set(setRow, slot)
      if (some.size === readTogether) break
    }
    const rows = await codesOf(reading, [...some.keys()])
    await addCentres(
      reading,
      index,
      rows.map((row) => row.centre_row ?? 0),
    )
    const piecesOf = Map.groupBy(rows, ({ set_row: setRow }) => setRow)
    for (const [setRow, slot] of some) {
      missing.delete(slot)
      space.unsaved += 1
      index.add(
        slot,
        (piecesOf.get(setRow) ?? []).map((row) => pieceOf(row, index)),
      )
    }
  }
  // The file and the rows of so many sets take more than their codes, until the runtime happens to collect them.
  if (isMuch) Bun.gc(true)
}

type CodeRow = Awaited<ReturnType<typeof codesOf>>[number]

function codesOf({ engine, kysely }: Connection, sets: readonly number[]) {
  return kysely
    .selectFrom('chunk_codes')
    .selectAll()
    .where(isOneOf(engine, 'set_row', sets))
    .orderBy('set_row')
    .orderBy('first')
    .execute()
}

/** Takes what is missing from the file, as far as it has it. */
async function loadFile(
  reading: Connection,
  { index, missing }: Space,
  file: CodeFile,
  sets: VisibleSets,
): Promise<void> {
  await addCentres(reading, index, [...file.centres])
  const taken = new Set<number>()
  const slotOf = (setRow: number, mark: number): number | null => {
    const slot = sets.slotOf(setRow)
    return slot !== undefined && missing.has(slot) && sets.markOf(slot) === mark ? slot : null
  }
  if (![...file.centres].every((centre) => index.hasCentre(centre))) return
  // A set stays missing until its last piece is added.
  file.addTo(index, slotOf, (slot) => taken.add(slot))
  for (const slot of taken) missing.delete(slot)
}

async function addCentres({ engine, kysely }: Connection, index: CodeIndex, numbers: readonly number[]): Promise<void> {
  const unknown = new Set(numbers.filter((number) => !index.hasCentre(number)))
  if (unknown.size === 0) return
  const centres = await kysely
    .selectFrom('vector_centres')
    .select(['row', 'centre'])
    .where(isOneOf(engine, 'row', [...unknown]))
    .execute()
  for (const { row, centre } of centres) index.addCentre(row, floatsOf(centre))
}

function pieceOf({ first, codes, centre_row: centre, scales }: CodeRow, index: CodeIndex): CodePiece {
  if (scales !== null) return { first, codes, centre: centre ?? 0, scales }
  const count = codes.length / Uint32Array.BYTES_PER_ELEMENT / index.coder.words
  const plain = Uint16Array.from({ length: 2 * count }, (_each, at) => plainScales[at % 2] ?? 0)
  return { first, codes, centre: 0, scales: new Uint8Array(plain.buffer) }
}
