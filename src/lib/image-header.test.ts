import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { readImageHeader } from './image-header.ts'

const png = stripedPng(30, 20, [[1, 2, 3]])
const made = (format: 'jpeg' | 'webp') =>
  new Bun.Image(png)
    [format]()
    .bytes()
    .then((bytes) => Buffer.from(bytes))

function gif(): Buffer {
  return Buffer.from('4749463839611e001400f00000ff0000ffffff2c000000001e001400000202448401003b', 'hex')
}

function bmp(height = 20): Buffer {
  const bytes = Buffer.alloc(54 + 30 * 20 * 3)
  bytes.write('BM')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(30, 18)
  bytes.writeInt32LE(height, 22)
  return bytes
}

function tiff(little: boolean): Buffer {
  const bytes = Buffer.alloc(64)
  const word = (value: number, at: number) => (little ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at))
  const long = (value: number, at: number) => (little ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at))
  bytes.write(little ? 'II' : 'MM')
  word(42, 2)
  long(8, 4)
  word(2, 8)
  for (const [index, [tag, type, value]] of (
    [
      [256, 3, 30],
      [257, 4, 20],
    ] as const
  ).entries()) {
    const at = 10 + index * 12
    word(tag, at)
    word(type, at + 2)
    long(1, at + 4)
    if (type === 3) word(value, at + 8)
    else long(value, at + 8)
  }
  return bytes
}

describe('the header of an image', () => {
  test('tells format and size in pixels, whatever the format', async () => {
    const files = { png, jpeg: await made('jpeg'), webp: await made('webp'), gif: gif(), bmp: bmp() }
    for (const [format, bytes] of Object.entries(files))
      expect([format, readImageHeader(bytes)]).toEqual([
        format,
        { format, width: 30, height: 20, complete: true },
      ] as never)
    for (const little of [true, false])
      expect(readImageHeader(tiff(little))).toEqual({ format: 'tiff', width: 30, height: 20, complete: true })
    expect(readImageHeader(bmp(-20))).toMatchObject({ height: 20 })
  })

  test('of a file that is cut off says so', async () => {
    for (const bytes of [png, await made('jpeg'), await made('webp'), gif(), bmp()]) {
      for (const kept of [bytes.length - 2, Math.floor(bytes.length * 0.7)])
        expect(readImageHeader(bytes.subarray(0, kept))?.complete).toBe(false)
    }
  })

  test('is found of no other file', () => {
    for (const text of ['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7', 'BM', 'RIFF1234WAVEfmt '])
      expect(readImageHeader(Buffer.from(text))).toBeNull()
  })

  test('never fails, whatever follows the first bytes', () => {
    const starts = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF89a', 'RIFF\0\0\0\0WEBP', 'BM', 'II*\0', 'MM\0*']
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const header = readImageHeader(Buffer.concat([Buffer.from(start, 'latin1'), rest]))
        expect(header === null || (header.width >= 0 && header.height >= 0)).toBe(true)
      }),
    )
  })
})
