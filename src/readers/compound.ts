/**
 * Compound files, in which Word, Excel, PowerPoint (97 to 2003) and Outlook keep streams of bytes in storages, like a
 * small file system. (MS-CFB 2024.)
 *
 * Invariant: each chain of sectors ends after as many as the file has, and all streams together cost no more than the
 * limit, whatever the file says.
 */
import { ReadFailure } from './reading.ts'

export interface CompoundFile {
  /** Paths of all streams, storages divided by `/`, in the order of the directory. */
  readonly names: readonly string[]
  /** The bytes of a stream; null when no stream has that path. Throws ReadFailure `damaged` or `too_complex`. */
  read(path: string): Buffer | null
}

interface Entry {
  readonly name: string
  readonly kind: number
  readonly left: number
  readonly right: number
  readonly child: number
  readonly start: number
  readonly size: number
}

/** What it takes to follow the chains. */
interface Volume {
  readonly bytes: Buffer
  readonly sectorBytes: number
  readonly fat: Uint32Array
}

const [storage, stream, root] = [1, 2, 5]
const lastSector = 0xfffffffe
const noEntry = 0xffffffff
const entryBytes = 128
const headerEntries = 109
const entriesMax = 50_000
const depthMax = 20
const miniSectorBytes = 64
const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Reads the directory. Throws ReadFailure `damaged`, or `too_complex` for more than a file of an office has. */
export function openCompound(content: Uint8Array, streamBytesMax: number): CompoundFile {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const shift = bytes.length < 512 ? 0 : bytes.readUInt16LE(30)
  if (!bytes.subarray(0, 8).equals(signature) || (shift !== 9 && shift !== 12)) throw damagedCompound()
  const sectorBytes = 2 ** shift
  const volume: Volume = { bytes, sectorBytes, fat: readFat(bytes, sectorBytes) }
  const entries = readEntries(chain(volume, bytes.readUInt32LE(48)))
  const top = entries.find(({ kind }) => kind === root)
  if (top === undefined) throw damagedCompound()
  const paths = new Map<string, Entry>()
  collect(entries, { entry: top, path: '', depth: 0 }, paths)
  const cutoff = bytes.readUInt32LE(56)
  const mini = lazily((): Volume => {
    const table = chain(volume, bytes.readUInt32LE(60))
    return { bytes: chain(volume, top.start).subarray(0, top.size), sectorBytes: miniSectorBytes, fat: words(table) }
  })
  let left = streamBytesMax
  return {
    names: [...paths.keys()],
    read(path) {
      const entry = paths.get(path)
      if (entry === undefined) return null
      if (entry.size === 0) return Buffer.alloc(0)
      left -= Math.min(entry.size, bytes.length)
      if (left < 0)
        throw new ReadFailure('too_complex', 'The parts of the file are larger together than is read. Divide it.')
      return (entry.size < cutoff ? miniChain(mini(), entry) : chain(volume, entry.start, entry.size)).subarray(
        0,
        entry.size,
      )
    },
  }
}

/** The file is not an intact compound file. */
export function damagedCompound(): ReadFailure {
  return new ReadFailure('damaged', 'The file is cut off or damaged. Open it in its program and save it again.')
}

/** A reading in which a place beyond the end of the file is damage. */
export async function withinFile<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RangeError && 'code' in error) throw damagedCompound()
    throw error
  }
}

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

/** Places of sectors by the header and by the sectors that continue its list. */
function readFat(bytes: Buffer, sectorBytes: number): Uint32Array {
  const sectors: number[] = []
  const most = Math.ceil(bytes.length / sectorBytes)
  for (let at = 0; at < headerEntries; at += 1) sectors.push(bytes.readUInt32LE(76 + 4 * at))
  let next = bytes.readUInt32LE(68)
  for (let seen = 0; next < lastSector - 2 && seen < most; seen += 1) {
    const list = words(sectorAt(bytes, sectorBytes, next))
    sectors.push(...list.subarray(0, -1))
    next = list.at(-1) ?? lastSector
  }
  const used = sectors.filter((sector) => sector < most)
  return words(Buffer.concat(used.map((sector) => sectorAt(bytes, sectorBytes, sector))))
}

/** The header takes the place of one sector; the last one may be cut off. */
function sectorAt(bytes: Buffer, sectorBytes: number, sector: number): Buffer {
  const start = (sector + 1) * sectorBytes
  return bytes.subarray(start, start + sectorBytes)
}

function words(bytes: Buffer): Uint32Array {
  const list = new Uint32Array(Math.floor(bytes.length / 4))
  for (let at = 0; at < list.length; at += 1) list[at] = bytes.readUInt32LE(4 * at)
  return list
}

function chain({ bytes, sectorBytes, fat }: Volume, first: number, size = Number.POSITIVE_INFINITY): Buffer {
  const parts: Buffer[] = []
  let sector = first
  for (let length = 0; sector < lastSector - 2 && length < size; sector = fat[sector] ?? lastSector) {
    const part = sectorAt(bytes, sectorBytes, sector)
    if (part.length === 0 || parts.length > fat.length) throw damagedCompound()
    parts.push(part)
    length += part.length
  }
  return Buffer.concat(parts)
}

function miniChain({ bytes, fat }: Volume, { start, size }: Entry): Buffer {
  const parts: Buffer[] = []
  let sector = start
  for (let length = 0; sector < lastSector - 2 && length < size; length += miniSectorBytes) {
    if (parts.length > fat.length) throw damagedCompound()
    parts.push(bytes.subarray(sector * miniSectorBytes, (sector + 1) * miniSectorBytes))
    sector = fat[sector] ?? lastSector
  }
  return Buffer.concat(parts)
}

function readEntries(directory: Buffer): Entry[] {
  const count = Math.floor(directory.length / entryBytes)
  if (count > entriesMax) throw new ReadFailure('too_complex', `The file has more than ${entriesMax} parts.`)
  return Array.from({ length: count }, (_, at) => {
    const entry = directory.subarray(at * entryBytes, (at + 1) * entryBytes)
    const nameBytes = Math.min(Math.max(0, entry.readUInt16LE(64) - 2), 62)
    return {
      name: entry.toString('utf16le', 0, nameBytes),
      kind: entry.readUInt8(66),
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120),
    }
  })
}

interface Place {
  readonly entry: Entry
  readonly path: string
  readonly depth: number
}

/** Walks the tree of each storage; an entry that comes twice ends it. */
function collect(entries: readonly Entry[], { entry, path, depth }: Place, paths: Map<string, Entry>): void {
  const seen = new Set<number>()
  const open = [entry.child]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const found = entries[at]
    if (at === noEntry || found === undefined || seen.has(at)) continue
    seen.add(at)
    open.push(found.right, found.left)
    const own = path === '' ? found.name : `${path}/${found.name}`
    if (found.kind === stream) paths.set(own, found)
    if (paths.size > entriesMax) throw damagedCompound()
    if (found.kind === storage && depth < depthMax)
      collect(entries, { entry: found, path: own, depth: depth + 1 }, paths)
  }
}
