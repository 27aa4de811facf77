import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { SourceFailure } from '../../web/source-failure.ts'
import { blobIn, objectsIn } from './pack.ts'
import { flushPacket, packet, packetsOf, packOf } from './packets.ts'

const bounds = { objectBytesMax: 100_000, bytesMax: 1_000_000 }
const idOf = (type: string, data: Buffer) =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')

/** Type and size as a pack has them. */
function headOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
const object = (type: number, data: Buffer, between = Buffer.alloc(0), size = data.length) =>
  Buffer.concat([headOf(type, size), between, deflateSync(data)])
function packWith(...objects: readonly Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(objects.length, 8)
  return Buffer.concat([head, ...objects, Buffer.alloc(20)])
}
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const whole = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces))
const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: unknown) => thrown,
  )

test('a blob comes out as it went in, wherever the answer is split', async () => {
  const data = fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes))
  await fc.assert(
    fc.asyncProperty(data, fc.integer({ min: 1, max: 300 }), async (content, size) => {
      const pack = packWith(object(3, content))
      const lines = [packet('packfile')]
      for (let at = 0; at < pack.length; at += 100) {
        const piece = pack.subarray(at, at + 100)
        lines.push((piece.length + 5).toString(16).padStart(4, '0') + '\x01' + piece.toString('latin1'))
      }
      const answer = Buffer.from(lines.join('') + flushPacket, 'latin1')
      expect((await whole(blobIn(packOf(inPieces(answer, size))))).equals(content)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('deltas by offset and by id are applied to what came before', async () => {
  const base = Buffer.from('a folder of files')
  // Copies "a folder", adds " two".
  const delta = Buffer.concat([Buffer.from([base.length, 12, 0x90, 8, 4]), Buffer.from(' two')])
  const first = object(2, base)
  const byOffset = object(6, delta, Buffer.from([first.length]))
  const byId = object(7, delta, Buffer.from(idOf('tree', base), 'hex'))
  const objects = await objectsIn(packWith(first, byOffset, byId), bounds)
  expect(objects.get(idOf('tree', Buffer.from('a folder two')))).toMatchObject({ type: 'tree' })
})

describe('a pack that lies is refused with a sentence', () => {
  const tree = object(2, Buffer.from('tree'))
  const deltaOn = (...delta: readonly number[]) => [tree, object(6, Buffer.from(delta), Buffer.from([tree.length]))]
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['no pack', Buffer.from('<html>not a pack at all</html>')],
    ['fewer objects than it says', packWith(tree).fill(9, 11, 12)],
    ['a size that never ends', packWith(Buffer.alloc(100, 0xff))],
    ['another size than it says', packWith(object(2, Buffer.from('tree'), Buffer.alloc(0), 3))],
    ['more than an object may have', packWith(object(2, Buffer.alloc(200_000)))],
    ['a size beyond all numbers', packWith(object(2, Buffer.from('x'), Buffer.alloc(0), 2 ** 60))],
    ['more than all may have', packWith(...Array.from({ length: 20 }, () => object(2, Buffer.alloc(90_000))))],
    ['a bomb', packWith(object(2, Buffer.alloc(10_000_000), Buffer.alloc(0), 50))],
    ['a base that is not there', packWith(object(7, Buffer.from([4, 4, 0x90, 4]), Buffer.alloc(20, 1)))],
    ['a base before the beginning', packWith(object(6, Buffer.from([4, 4, 0x90, 4]), Buffer.from([127])))],
    ['a delta on another size', packWith(...deltaOn(5, 4, 0x90, 4))],
    ['a delta that copies beyond its base', packWith(...deltaOn(4, 9, 0x90, 9))],
    ['a delta that is too long', packWith(...deltaOn(4, 2, 0x90, 4))],
    ['a delta that is too short', packWith(...deltaOn(4, 9, 0x90, 4))],
    ['a delta of nothing', packWith(...deltaOn(4, 4, 0))],
    ['a delta without an end', packWith(...deltaOn(4, 4, 3, 1))],
    ['a delta that grows without end', packWith(...deltaOn(4, 0xff, 0xff, 0xff, 0x7f, 0x90, 4))],
    ['an unknown type', packWith(object(5, Buffer.from('x')))],
  ])('%s', async (_what, pack) => {
    expect(await failureOf(objectsIn(pack, bounds))).toBeInstanceOf(SourceFailure)
    expect(await failureOf(whole(blobIn(inPieces(pack, 7))))).toBeInstanceOf(SourceFailure)
  })

  test('any bytes at all', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.concat([packWith(tree).subarray(0, 12), some]))
    await fc.assert(
      fc.asyncProperty(bytes, async (pack) => {
        const thrown = await failureOf(objectsIn(pack, bounds))
        expect(thrown === null || thrown instanceof SourceFailure).toBe(true)
      }),
    )
  })
})

test.each(['zzzz', '0003', '0004', '00', '0009ERR no', '000cERR no\n'])('the lines %j are refused', async (text) => {
  const answer = packOf(inPieces(Buffer.from(text), 3))
  expect(await failureOf(Array.fromAsync(answer))).toBeInstanceOf(SourceFailure)
  expect(await failureOf(Array.fromAsync(packetsOf(inPieces(Buffer.from('0000'), 1))))).toBeNull()
})
