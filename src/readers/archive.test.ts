import { describe, expect, test } from 'bun:test'
import { failureOfAction } from '#test/support/documents/read-office.ts'
import { randomBytes } from 'node:crypto'
import { zip } from '#test/support/documents/zip-writer.ts'
import { openArchive } from './archive.ts'

const limit = 100_000_000
function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

function readAll(bytes: Uint8Array, unpackedBytesMax = limit): void {
  const archive = openArchive(bytes, unpackedBytesMax)
  for (const name of archive.names) archive.read(name)
}

describe('what can be read', () => {
  const entries = [
    { name: 'folder/', content: '' },
    { name: 'a.xml', content: '<a/>'.repeat(100) },
    { name: 'folder/ü.txt', content: 'plain', stored: true },
    { name: 'empty', content: '' },
  ]
  for (const options of [{}, { zip64: true }, { comment: 'PK\u0005\u0006 made by hand' }]) {
    test(`packed, stored and empty entries, with ${JSON.stringify(options)}`, () => {
      const archive = openArchive(zip(entries, options), limit)
      expect(archive.names).toEqual(['a.xml', 'folder/ü.txt', 'empty'])
      expect(text(archive.read('a.xml'))).toBe('<a/>'.repeat(100))
      expect(text(archive.read('folder/ü.txt'))).toBe('plain')
      expect(text(archive.read('empty'))).toBe('')
      expect(archive.read('missing')).toBeNull()
    })
  }

  test('names are found in any case, and with the separators of Windows', () => {
    const archive = openArchive(zip([{ name: 'Word\\Document.xml', content: 'x' }]), limit)
    expect(text(archive.read('word/document.xml'))).toBe('x')
  })

  test('an archive inside is bytes like any other', () => {
    const inner = zip([{ name: 'x', content: 'y' }])
    expect(openArchive(zip([{ name: 'inner.zip', content: inner }]), limit).read('inner.zip')).toEqual(inner)
  })

  test('a part of a larger buffer is an archive of its own', () => {
    const whole = Buffer.concat([Buffer.from('before'), zip([{ name: 'x', content: 'y' }])])
    expect(text(openArchive(whole.subarray(6), limit).read('x'))).toBe('y')
  })
})

describe('bombs', () => {
  test('more bytes than the limit are refused before any is unpacked', () => {
    const entries = Array.from({ length: 11 }, (_, index) => ({ name: `${index}`, content: Buffer.alloc(100_000) }))
    expect(failureOfAction(() => openArchive(zip(entries), 1_100_000))).toBe('read')
    expect(failureOfAction(() => openArchive(zip(entries), 1_099_999))).toBe('too_complex')
  })

  test('an entry that unpacks to more than it declares stops at what it declares', () => {
    const bomb = zip([{ name: 'x', content: Buffer.alloc(50_000_000), declaredBytes: 1_000 }])
    expect(failureOfAction(() => readAll(bomb))).toBe('damaged')
  })

  test('an entry that unpacks to less than it declares is refused', () => {
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: 'abc', declaredBytes: 4 }])))).toBe('damaged')
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: 'abc', declaredBytes: 4, stored: true }])))).toBe(
      'damaged',
    )
  })

  test('an entry of one repeated byte is refused for its ratio, when it is large', () => {
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: Buffer.alloc(5_000_000) }])))).toBe('too_complex')
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: Buffer.alloc(4_000_000) }])))).toBe('read')
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: randomBytes(5_000_000) }])))).toBe('read')
  })

  test('more than 20,000 entries are refused', () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `${index}`, content: '', stored: true }))
    expect(openArchive(zip(entries(20_000)), limit).names).toHaveLength(20_000)
    expect(failureOfAction(() => openArchive(zip(entries(20_001)), limit))).toBe('too_complex')
  })

  test('unpacking the same entry again counts again, so that overlapping entries gain nothing', () => {
    const archive = openArchive(zip([{ name: 'x', content: Buffer.alloc(1_000) }]), 2_500)
    archive.read('x')
    archive.read('x')
    expect(failureOfAction(() => archive.read('x'))).toBe('too_complex')
  })
})

describe('damage', () => {
  test('two entries of one name are refused when that name is read, since programs differ in which they take', () => {
    const archive = openArchive(
      zip([
        { name: 'x', content: '1' },
        { name: 'X', content: '2' },
        { name: 'y', content: '3' },
      ]),
      limit,
    )
    expect(text(archive.read('y'))).toBe('3')
    expect(failureOfAction(() => archive.read('x'))).toBe('damaged')
  })

  test('an encrypted entry says that a password is needed', () => {
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: 'abc', encrypted: true }])))).toBe('encrypted')
  })

  test('a wrong checksum is refused', () => {
    expect(failureOfAction(() => readAll(zip([{ name: 'x', content: 'abc', declaredCrc: 1 }])))).toBe('damaged')
  })

  test('what is not an archive is refused, whatever it is', () => {
    for (const bytes of [
      new Uint8Array(0),
      new Uint8Array(21),
      new Uint8Array(100_000),
      randomBytes(10_000),
      Buffer.from('PK\u0005\u0006'),
    ]) {
      expect(failureOfAction(() => readAll(bytes))).toBe('damaged')
    }
  })

  for (const zip64 of [false, true]) {
    test(`every cut and every changed byte ends in a failure of its own or in the same content (zip64 ${zip64})`, () => {
      const whole = zip(
        [
          { name: 'a', content: 'some text '.repeat(20) },
          { name: 'b', content: 'more', stored: true },
        ],
        { zip64 },
      )
      for (let length = 0; length < whole.length; length += 1) {
        expect(failureOfAction(() => readAll(whole.subarray(0, length)))).toBe('damaged')
      }
      for (let at = 0; at < whole.length; at += 1) {
        const changed = whole.slice()
        changed[at] = (changed[at] ?? 0) ^ 0xff
        expect(['read', 'damaged', 'encrypted', 'too_complex']).toContain(failureOfAction(() => readAll(changed)))
      }
    })
  }
})
