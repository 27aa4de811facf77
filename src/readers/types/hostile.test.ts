/** What no file may do to the process that finds out its type: the work grows with its bytes, and not faster. */
import { describe, expect, test } from 'bun:test'
import { readImageHeader } from '#lib/image-header.ts'
import { workPerByte } from '#test/support/documents/work-per-byte.ts'
import { detectMediaType } from './media-type.ts'
import { startBytes, startTypeOf } from './signature.ts'

type Family = (bytes: number) => Buffer

const kib = 1024
const fill = (bytes: number, ...parts: (string | Buffer)[]): Buffer =>
  Buffer.alloc(bytes, Buffer.concat(parts.map((part) => Buffer.from(part))))
const begun = (start: string | Buffer, rest: Buffer): Buffer => Buffer.concat([Buffer.from(start), rest])

/** Each entry says that its name goes on over the next 2,000. */
function localEntries(bytes: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(0xffff, 26)
  return Buffer.alloc(bytes, header)
}

function centralEntries(bytes: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(30, 16)
  return Buffer.concat([localEntries(30), Buffer.alloc(bytes - 52, header), end])
}

/** Only the beginning of these is looked at, so the sizes are those of the sample. */
const texts: Readonly<Record<string, Family>> = {
  'headings that end with a carriage return': (bytes) => fill(bytes, '# a\r'),
  'one heading and the beginnings of links': (bytes) => begun('# a\n', fill(bytes, '](')),
  'one heading and rules of tables': (bytes) => begun('# a\n', fill(bytes, '|---')),
  'beginnings of comments': (bytes) => fill(bytes, '<!--'),
  'beginnings of tags': (bytes) => fill(bytes, '<a '),
  'beginnings of declarations': (bytes) => begun('\xff', fill(bytes, '<meta ')),
  'header fields': (bytes) => fill(bytes, 'a:b\n'),
  'folded lines': (bytes) => begun('From: a\n', fill(bytes, ' \r\n')),
  brackets: (bytes) => fill(bytes, '['),
  'JSON lines': (bytes) => fill(bytes, '[1]\n'),
  quotes: (bytes) => fill(bytes, '"\n,'),
  'control characters': (bytes) => fill(bytes, '\x01'),
}

const archives: Readonly<Record<string, Family>> = {
  'entries whose names overlap': localEntries,
  'a directory of entries without a name': centralEntries,
  'signatures of entries': (bytes) => fill(bytes, 'PK\x03\x04'),
  'ends of directories': (bytes) => begun('PK\x03\x04', fill(bytes, 'PK\x05\x06')),
}

describe('finding out the type takes time in proportion to the bytes', () => {
  for (const [name, family] of Object.entries(texts))
    test(`for a text of ${name}`, () => {
      expect(workPerByte(family(64 * kib), (bytes) => detectMediaType(bytes, ''))).toBeLessThan(1000)
    })
  for (const [name, family] of Object.entries(archives))
    test.each([128, 512])(`for an archive of ${name}, %i KiB`, (size) => {
      expect(workPerByte(family(size * kib), (bytes) => detectMediaType(bytes, ''))).toBeLessThan(100)
    })
})

test('the names of an archive that are looked at take little memory, however long they say they are', () => {
  const before = process.memoryUsage().rss
  expect(detectMediaType(localEntries(600_000), '')).toBe('application/zip')
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
})

const pngStart = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000000000000', 'hex')
const pictures: Readonly<Record<string, Family>> = {
  'a PNG of empty chunks': (bytes) => begun(pngStart, Buffer.alloc(bytes)),
  'a JPEG of filling bytes': (bytes) => begun(Buffer.from('ffd8', 'hex'), Buffer.alloc(bytes, 0xff)),
  'a JPEG of empty segments': (bytes) => begun(Buffer.from('ffd8', 'hex'), fill(bytes, Buffer.from('ffe00002', 'hex'))),
  'a TIFF directory': (bytes) => begun('II*\0\x08\0\0\0', Buffer.alloc(bytes, 0xff)),
}

describe('the header of a picture costs less than two passes over the picture', () => {
  for (const [name, family] of Object.entries(pictures))
    test(name, () => {
      expect(workPerByte(family(16_000_000), readImageHeader)).toBeLessThan(2)
    })
})

describe('the beginning of a file costs a few passes over it', () => {
  const families = { ...texts, ...archives, ...pictures }
  for (const [name, family] of Object.entries(families))
    test(name, () => {
      const start = family(startBytes).subarray(0, startBytes)
      expect(workPerByte(start, startTypeOf)).toBeLessThan(50)
    })
})
