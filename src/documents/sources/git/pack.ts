/**
 * Packs of Git (https://git-scm.com/docs/pack-format): all objects of a small one, or the one blob of a pack as it arrives.
 * Everything in a pack is bounded before it is unpacked.
 */
import { createHash } from 'node:crypto'
import { createInflate, inflateSync } from 'node:zlib'
import { SourceFailure } from '../../web/source-failure.ts'
import { malformed } from './packets.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface PackedObject {
  readonly type: ObjectType
  readonly data: Buffer
}

const types: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const offsetDelta = 6
const referenceDelta = 7
const headerBytes = 12
const idBytes = 20
/** Longest head of an object: its size takes at most ten bytes. */
const objectHeadMax = 10

export interface PackBounds {
  readonly objectBytesMax: number
  /** All objects together, unpacked. */
  readonly bytesMax: number
}

/** Objects, and bytes of them, after which other work has its turn. */
const objectsOfTurn = 50
const bytesOfTurn = 1_048_576

/** The objects by their ids (SHA-1). Rejects with SourceFailure. */
export async function objectsIn(pack: Buffer, bounds: PackBounds): Promise<ReadonlyMap<string, PackedObject>> {
  const reader = new PackReader(pack, bounds)
  const count = countIn(pack)
  let bytes = 0
  for (let index = 0; index < count; index += 1) {
    bytes += reader.next()
    if (index % objectsOfTurn > 0 && bytes < bytesOfTurn) continue
    bytes = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
  return reader.objects
}

/** The content of the only object of a pack, which has to be a blob that is stored as it is. Rejects with SourceFailure. */
export async function* blobIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const inflate = createInflate()
  const fed = feedBlob(pieces, inflate).catch((thrown: unknown) => void inflate.destroy(thrown as Error))
  try {
    yield* inflate
  } catch (thrown) {
    throw isDamaged(thrown) ? malformed() : thrown
  } finally {
    inflate.destroy()
    await fed
  }
}

async function feedBlob(pieces: AsyncIterable<Uint8Array>, inflate: ReturnType<typeof createInflate>): Promise<void> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const piece of pieces) {
    let rest: Uint8Array = piece
    if (head !== null) {
      head = Buffer.concat([head, piece])
      if (head.byteLength < headerBytes + objectHeadMax) continue
      rest = contentIn(head)
      head = null
    }
    if (inflate.destroyed || inflate.writableEnded) continue
    if (!inflate.write(rest))
      await new Promise<void>((resolve) => inflate.once('drain', resolve).once('close', resolve))
  }
  if (head !== null) inflate.write(contentIn(head))
  inflate.end()
}

/** What follows the head of the object. */
function contentIn(pack: Buffer): Uint8Array {
  if (countIn(pack) !== 1) throw malformed()
  const { type, end } = objectHead(pack, headerBytes)
  if (types[type] !== 'blob') throw malformed()
  return pack.subarray(end)
}

function countIn(pack: Buffer): number {
  if (pack.byteLength < headerBytes || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2)
    throw malformed()
  return pack.readUInt32BE(8)
}

interface ObjectHead {
  readonly type: number
  /** Unpacked. */
  readonly size: number
  readonly end: number
}

/** Type and size: seven bits a byte, the lowest first, after four bits beside the type. */
function objectHead(pack: Buffer, start: number): ObjectHead {
  let at = start
  let byte = byteAt(pack, at)
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let scale = 16; byte & 128; scale *= 128) {
    if (at - start > objectHeadMax) throw malformed()
    byte = byteAt(pack, (at += 1))
    size += (byte & 127) * scale
  }
  return { type, size, end: at + 1 }
}

function byteAt(pack: Buffer, at: number): number {
  const byte = pack[at]
  if (byte === undefined) throw malformed()
  return byte
}

class PackReader {
  readonly objects = new Map<string, PackedObject>()
  readonly #pack: Buffer
  readonly #bounds: PackBounds
  readonly #byOffset = new Map<number, PackedObject>()
  #at = headerBytes
  #bytesLeft: number

  constructor(pack: Buffer, bounds: PackBounds) {
    this.#pack = pack
    this.#bounds = bounds
    this.#bytesLeft = bounds.bytesMax
  }

  /** Reads the next object; its bytes. */
  next(): number {
    const start = this.#at
    const { type, size, end } = objectHead(this.#pack, start)
    this.#at = end
    const base = this.#baseOf(type, start)
    const content = this.#unpack(size)
    const plain = types[type]
    const object = base === null ? plain && { type: plain, data: content } : this.#patched(base, content)
    if (object === undefined) throw malformed()
    this.#byOffset.set(start, object)
    this.objects.set(idOf(object), object)
    return object.data.byteLength
  }

  /** What a delta is applied to: bases come before what is made of them, since the pack is complete in itself. */
  #baseOf(type: number, start: number): PackedObject | null {
    if (type === referenceDelta) {
      const id = this.#pack.toString('hex', this.#at, this.#at + idBytes)
      this.#at += idBytes
      return this.objects.get(id) ?? fail()
    }
    if (type !== offsetDelta) return null
    let byte = byteAt(this.#pack, this.#at)
    let distance = byte & 127
    while (byte & 128) {
      byte = byteAt(this.#pack, (this.#at += 1))
      distance = (distance + 1) * 128 + (byte & 127)
    }
    this.#at += 1
    return this.#byOffset.get(start - distance) ?? fail()
  }

  #unpack(size: number): Buffer {
    this.#take(size)
    const options = { info: true, maxOutputLength: size + 1 } as const
    try {
      const { buffer, engine } = inflateSync(this.#pack.subarray(this.#at), options) as unknown as Inflated
      if (buffer.byteLength !== size) throw malformed()
      this.#at += engine.bytesWritten
      return buffer
    } catch (thrown) {
      throw thrown instanceof SourceFailure ? thrown : malformed()
    }
  }

  #patched({ type, data }: PackedObject, delta: Buffer): PackedObject {
    const from = sizeAt(delta, 0)
    const to = sizeAt(delta, from.end)
    if (from.size !== data.byteLength) throw malformed()
    this.#take(to.size)
    return { type, data: applyDelta(data, delta.subarray(to.end), to.size) }
  }

  #take(bytes: number): void {
    this.#bytesLeft -= bytes
    if (bytes > this.#bounds.objectBytesMax || this.#bytesLeft < 0)
      throw new SourceFailure('The lists of files in this repository are larger than the limit of this server.')
  }
}

/** What zlib answers with `info`. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

function idOf({ type, data }: PackedObject): string {
  return createHash('sha1').update(`${type} ${data.byteLength}\0`).update(data).digest('hex')
}

function sizeAt(delta: Buffer, start: number): { readonly size: number; readonly end: number } {
  let size = 0
  let at = start
  for (let scale = 1; ; scale *= 128) {
    const byte = byteAt(delta, at)
    size += (byte & 127) * scale
    at += 1
    if ((byte & 128) === 0) return { size, end: at }
    if (at - start > objectHeadMax) throw malformed()
  }
}

/** Instructions copy from the base or add bytes of their own. */
function applyDelta(base: Buffer, delta: Buffer, size: number): Buffer {
  const result = Buffer.alloc(size)
  let filled = 0
  for (let at = 0; at < delta.byteLength;) {
    const code = byteAt(delta, at)
    at += 1
    if (code === 0) throw malformed()
    let [source, from, length] = [delta, at, code]
    if (code & 128) {
      const numbers = [0, 0, 0, 0, 0, 0, 0].map((_none, bit) => (code & (1 << bit) ? byteAt(delta, at++) : 0))
      const [o0 = 0, o1 = 0, o2 = 0, o3 = 0, s0 = 0, s1 = 0, s2 = 0] = numbers
      source = base
      from = o0 + o1 * 256 + o2 * 65_536 + o3 * 16_777_216
      length = s0 + s1 * 256 + s2 * 65_536 || 65_536
    } else at += code
    if (from + length > source.byteLength || filled + length > size) throw malformed()
    source.copy(result, filled, from, from + length)
    filled += length
  }
  if (filled !== size) throw malformed()
  return result
}

function fail(): never {
  throw malformed()
}

function isDamaged(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_')
}
