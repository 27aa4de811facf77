/** The database of a 7z archive: which stretch of it holds which files, and how it was packed. (7zFormat.txt.) */
import { ReadFailure } from '../reading.ts'

export interface Coder {
  /** In hexadecimal digits. */
  readonly method: string
  readonly properties: Buffer
}

/** A block of files that were packed together. */
export interface Folder {
  readonly coders: readonly Coder[]
  /** Counted from the end of the archive's head. */
  packedStart: number
  packedBytes: number
  unpackedBytes: number
  crc: number | null
  /** Sizes and checksums of the files in it. */
  parts: { readonly size: number; readonly crc: number | null }[]
}

export interface StoredFile {
  readonly name: string
  /** Null for an empty file. */
  readonly folder: Folder | null
  readonly offset: number
  readonly size: number
  readonly crc: number | null
}

const ids = {
  end: 0x00,
  header: 0x01,
  archiveProperties: 0x02,
  additionalStreams: 0x03,
  mainStreams: 0x04,
  files: 0x05,
  packInfo: 0x06,
  unpackInfo: 0x07,
  subStreams: 0x08,
  size: 0x09,
  crc: 0x0a,
  folder: 0x0b,
  unpackSizes: 0x0c,
  unpackStreams: 0x0d,
  emptyStream: 0x0e,
  emptyFile: 0x0f,
  names: 0x11,
  packedHeader: 0x17,
}
const [foldersMax, filesMax, codersMax] = [100_000, 100_000, 8]

/** Reads a database. Throws ReadFailure `damaged` or `too_complex`. */
export class SevenZipHeader {
  /** The database itself is in the first folder. */
  readonly isPacked: boolean
  readonly folders: Folder[] = []
  readonly files: StoredFile[] = []
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    const kind = this.#byte()
    this.isPacked = kind === ids.packedHeader
    if (this.isPacked) this.#streams()
    else if (kind === ids.header) this.#header()
    else throw damaged()
  }

  #header(): void {
    for (let id = this.#byte(); id !== ids.end; id = this.#byte()) {
      if (id === ids.mainStreams) this.#streams()
      else if (id === ids.files) this.#files()
      else if (id === ids.archiveProperties) this.#skipProperties()
      else throw damaged()
    }
  }

  #skipProperties(): void {
    while (this.#byte() !== ids.end) this.#take(this.#number())
  }

  #streams(): void {
    let packed: { readonly start: number; readonly sizes: readonly number[] } = { start: 0, sizes: [] }
    for (let id = this.#byte(); id !== ids.end; id = this.#byte()) {
      if (id === ids.packInfo) packed = this.#packInfo()
      else if (id === ids.unpackInfo) this.#unpackInfo()
      else if (id === ids.subStreams) this.#subStreams()
      else throw damaged()
    }
    let start = packed.start
    for (const [at, folder] of this.folders.entries()) {
      const size = packed.sizes[at]
      if (size === undefined) throw damaged()
      folder.packedStart = start
      folder.packedBytes = size
      start += size
      if (folder.parts.length === 0 && folder.unpackedBytes > 0)
        folder.parts = [{ size: folder.unpackedBytes, crc: folder.crc }]
    }
  }

  #packInfo(): { readonly start: number; readonly sizes: readonly number[] } {
    const start = this.#number()
    const count = this.#count(foldersMax)
    let sizes: number[] = []
    for (let id = this.#byte(); id !== ids.end; id = this.#byte()) {
      if (id === ids.size) sizes = Array.from({ length: count }, () => this.#number())
      else if (id === ids.crc) this.#checksums(count)
      else throw damaged()
    }
    return { start, sizes }
  }

  #unpackInfo(): void {
    if (this.#byte() !== ids.folder) throw damaged()
    const count = this.#count(foldersMax)
    // Folders in another stream are not written by any program.
    if (this.#byte() !== 0) throw damaged()
    const outputs: number[] = []
    for (let at = 0; at < count; at += 1) {
      const coders = this.#coders()
      this.folders.push({ coders, packedStart: 0, packedBytes: 0, unpackedBytes: 0, crc: null, parts: [] })
      outputs.push(coders.length)
    }
    if (this.#byte() !== ids.unpackSizes) throw damaged()
    for (const [at, folder] of this.folders.entries()) {
      const sizes = Array.from({ length: outputs[at] ?? 0 }, () => this.#number())
      folder.unpackedBytes = sizes.at(-1) ?? 0
    }
    for (let id = this.#byte(); id !== ids.end; id = this.#byte()) {
      if (id !== ids.crc) throw damaged()
      for (const [at, crc] of this.#checksums(count).entries()) {
        const folder = this.folders[at]
        if (folder !== undefined) folder.crc = crc
      }
    }
  }

  /** The methods of a folder. How several are bound together does not matter: those are not read. */
  #coders(): Coder[] {
    const count = this.#count(codersMax)
    let [inputs, outputs] = [0, 0]
    const coders = Array.from({ length: count }, (): Coder => {
      const flags = this.#byte()
      const method = this.#take(flags & 0x0f).toString('hex')
      const isComplex = (flags & 0x10) !== 0
      inputs += isComplex ? this.#count(codersMax) : 1
      outputs += isComplex ? this.#count(codersMax) : 1
      const properties = (flags & 0x20) === 0 ? Buffer.alloc(0) : this.#take(this.#number())
      return { method, properties }
    })
    if (count === 0 || outputs === 0) throw damaged()
    for (let bound = 0; bound < outputs - 1; bound += 1) {
      this.#number()
      this.#number()
    }
    const packed = inputs - (outputs - 1)
    if (packed > 1) for (let at = 0; at < packed; at += 1) this.#number()
    return coders
  }

  #subStreams(): void {
    const counts = this.folders.map(() => 1)
    let id = this.#byte()
    if (id === ids.unpackStreams) {
      for (const at of counts.keys()) counts[at] = this.#count(filesMax)
      id = this.#byte()
    }
    const hasSizes = id === ids.size
    const sizes = this.folders.map((folder, at) => this.#sizesIn(folder, counts[at] ?? 0, hasSizes))
    if (hasSizes) id = this.#byte()
    // Only those that the folder does not know are given.
    const unknown = this.folders.map((folder, at) => (counts[at] === 1 && folder.crc !== null ? 0 : (counts[at] ?? 0)))
    const total = unknown.reduce((sum, count) => sum + count, 0)
    let crcs: readonly (number | null)[] = Array.from({ length: Math.min(total, filesMax) }, () => null)
    for (; id !== ids.end; id = this.#byte()) {
      if (id !== ids.crc) throw damaged()
      crcs = this.#checksums(total)
    }
    let next = 0
    for (const [at, folder] of this.folders.entries()) {
      const isKnown = unknown[at] === 0
      folder.parts = (sizes[at] ?? []).map((size) => ({ size, crc: isKnown ? folder.crc : (crcs[next++] ?? null) }))
    }
  }

  /** All but the last are given: that is the rest. */
  #sizesIn(folder: Folder, count: number, areGiven: boolean): number[] {
    if (count === 0) return []
    if (count > 1 && !areGiven) throw damaged()
    const sizes = Array.from({ length: count - 1 }, () => this.#number())
    const rest = folder.unpackedBytes - sizes.reduce((sum, size) => sum + size, 0)
    if (rest < 0) throw damaged()
    return [...sizes, rest]
  }

  #files(): void {
    const count = this.#count(filesMax)
    let names: string[] = []
    let isEmpty: readonly boolean[] = []
    let isFile: readonly boolean[] = []
    for (let id = this.#byte(); id !== ids.end; id = this.#byte()) {
      const size = this.#number()
      const end = this.#at + size
      if (size > this.#bytes.length || end > this.#bytes.length) throw damaged()
      if (id === ids.names) names = this.#names(end)
      else if (id === ids.emptyStream) isEmpty = this.#bits(count)
      else if (id === ids.emptyFile) isFile = this.#bits(isEmpty.filter(Boolean).length)
      this.#at = end
    }
    const parts = this.folders.flatMap((folder) => {
      let offset = 0
      return folder.parts.map((part) => ({ folder, offset: (offset += part.size) - part.size, ...part }))
    })
    let [part, empty] = [0, 0]
    for (let at = 0; at < count; at += 1) {
      const name = names[at] ?? `file ${at + 1}`
      if (isEmpty[at] !== true) {
        const stored = parts[part++]
        if (stored === undefined) throw damaged()
        this.files.push({ name, ...stored })
      } else if (isFile[empty++] === true) this.files.push({ name, folder: null, offset: 0, size: 0, crc: null })
    }
  }

  #names(end: number): string[] {
    if (this.#byte() !== 0) throw damaged()
    const names = this.#bytes.subarray(this.#at, end).toString('utf16le').split('\0')
    return names.slice(0, -1).map((name) => name.replaceAll('\\', '/'))
  }

  #checksums(count: number): (number | null)[] {
    const isGiven = this.#byte() !== 0 ? Array.from({ length: count }, () => true) : this.#bits(count)
    return isGiven.map((given) => (given ? this.#take(4).readUInt32LE() : null))
  }

  #bits(count: number): boolean[] {
    const bytes = this.#take(Math.ceil(count / 8))
    return Array.from({ length: count }, (_, at) => ((bytes[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0)
  }

  /** The ones at the head of the first byte say how many bytes follow; the rest of it is the highest part. */
  #number(): number {
    const first = this.#byte()
    let value = 0
    for (let at = 0, mask = 0x80; at < 8; at += 1, mask >>= 1) {
      if ((first & mask) === 0) return value + (first & (mask - 1)) * 2 ** (8 * at)
      value += this.#byte() * 2 ** (8 * at)
    }
    return value
  }

  #count(most: number): number {
    const count = this.#number()
    if (count > most) throw new ReadFailure('too_complex', 'The archive holds more files than are read. Divide it.')
    return count
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw damaged()
    this.#at += 1
    return byte
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw damaged()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

function damaged(): ReadFailure {
  return new ReadFailure('damaged', 'The archive is cut off or damaged. Pack it again.')
}
