import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '#errors/api-error.ts'
import type { ImportItem } from './import-request.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { unpackImport } from '../unpacking/unpack-import.ts'
import { readJsonImport, readUnpackedImport } from './read-json-import.ts'

/** An item as it was understood, its content by digest. */
function seen({ origin, ...item }: ImportItem): object {
  if (origin.kind !== 'content') return { ...item, origin: origin.kind }
  const hash = createHash('sha256')
  for (const piece of origin.source.pieces()) hash.update(piece)
  return { ...item, origin: hash.digest('hex') }
}

async function read(json: string | Buffer): Promise<readonly object[]> {
  return (await readJsonImport(Buffer.from(json))).items.map(seen)
}

async function refusal(json: string | Buffer): Promise<string> {
  try {
    await readJsonImport(Buffer.from(json))
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.code
    throw thrown
  }
  return 'taken'
}

/** The same of a request that is taken apart as large ones are. */
async function readUnpacked(json: string | Buffer): Promise<readonly object[]> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-unpacking-'))
  using _removed = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
  const file = join(directory, 'body')
  await Bun.write(file, json)
  const { items } = await readUnpackedImport(await unpackImport({ file, directory, fileBytesMax: 1_000_000 }))
  return items.map(({ origin, ...item }) => ({
    ...item,
    origin: origin.kind === 'received' ? origin.received.sha256 : origin.kind,
  }))
}

/** Other spellings of the same JSON: white space, the order of fields, characters as escapes. */
interface Spelling {
  readonly space: string
  readonly reversed: boolean
  readonly escaped: boolean
}

const spellings: fc.Arbitrary<Spelling> = fc.record({
  space: fc.constantFrom('', ' ', '\n\t', '\r\n  '),
  reversed: fc.boolean(),
  escaped: fc.boolean(),
})

function spelled(value: unknown, spelling: Spelling): string {
  const { space, reversed, escaped } = spelling
  const joined = (parts: readonly string[]): string => parts.join(`${space},${space}`)
  if (Array.isArray(value)) return `[${space}${joined(value.map((each) => spelled(each, spelling)))}${space}]`
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).map(
      ([name, each]) => `${spelled(name, spelling)}${space}:${space}${spelled(each, spelling)}`,
    )
    return `{${space}${joined(reversed ? fields.toReversed() : fields)}${space}}`
  }
  const json = JSON.stringify(value)
  if (!escaped || typeof value !== 'string') return json
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'))
  return `"${units.map((unit) => String.raw`\u${unit}`).join('')}"`
}

const items = fc.array(
  fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' }),
      category: fc.stringMatching(/^[a-zß"\\ ]{1,20}$/),
      bytes: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
        fc.constantFrom('"', '\\', '{"files":[{"bytes":"x"}]}', '],"bytes":"', '\\u0022', 'data:;base64,QQ=='),
      ),
      path: fc.option(fc.string({ maxLength: 20 })),
      owners: fc.option(fc.constantFrom('everyone', 'group:"team"')),
      encoding: fc.constant(null),
    },
    { requiredKeys: ['name', 'category'] },
  ),
  { minLength: 1, maxLength: 5 },
)

test('however the same request is written, the same items come of it', async () => {
  await fc.assert(
    fc.asyncProperty(items, spellings, async (files, spelling) => {
      const plain = JSON.stringify({ files, chunk_units: 7 })
      const other = spelled({ files, chunk_units: 7 }, spelling)
      expect(JSON.parse(other)).toEqual(JSON.parse(plain))
      const understood = await read(plain)
      expect(await read(other)).toEqual(understood)
      expect(await readUnpacked(other)).toEqual(understood)
      const optionsOf = async (json: string) => (await readJsonImport(Buffer.from(json))).options
      expect(await optionsOf(other)).toEqual(await optionsOf(plain))
    }),
    { numRuns: 300 },
  )
})

test('the content of an item is what its own bytes stand for, whatever stands in the other fields', async () => {
  await fc.assert(
    fc.asyncProperty(items, async (files) => {
      const understood = await read(JSON.stringify({ files }))
      const alone = (await Promise.all(files.map((file) => read(JSON.stringify({ files: [file] }))))).flat()
      expect(understood).toEqual(alone)
    }),
    { numRuns: 200 },
  )
})

test('every cut of a request is refused as invalid JSON, whatever was inside', async () => {
  const whole = JSON.stringify({ files: [{ name: 'a', category: 'c', bytes: 'QUJD"\\{[ größe' }], reader: 'auto' })
  const bytes = Buffer.from(whole)
  for (let length = 0; length < bytes.length; length += 1)
    expect(await refusal(bytes.subarray(0, length))).toBe('invalid_json')
})

test('a request that is taken apart is refused for the same reasons', async () => {
  const item = (bytes: string): string => `{"files":[{"name":"a","category":"c","bytes":"${bytes}"}]}`
  const latin1 = Buffer.from(item('grö'), 'latin1')
  for (const body of [
    '',
    '[',
    item(String.raw`QU\x`),
    item('a\nb'),
    latin1,
    '{"files":5}',
    `{"files":[${'0,'.repeat(5e6)}0]}`,
  ]) {
    const code = await refusal(body)
    expect(await rejection(readUnpacked(body))).toMatchObject({ code })
  }
})

test('a content that is larger than a file may be makes its own item invalid', async () => {
  const files = ['x y '.repeat(300_000), 'x y'].map((bytes) => ({ name: 'a', category: 'c', bytes }))
  expect(await readUnpacked(JSON.stringify({ files }))).toMatchObject([
    { origin: 'too_large' },
    { origin: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  ])
})

test('any byte put in place of another is refused as such, or read as JSON.parse reads it', async () => {
  const bytes = Buffer.from('{"files":[{"name":"a","category":"c","bytes":"QU\\u004aD"}]}')
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0, max: 127 }), async (at, byte) => {
      const changed = Buffer.from(bytes)
      changed[at] = byte
      let isJson = true
      try {
        JSON.parse(changed.toString())
      } catch {
        isJson = false
      }
      expect((await refusal(changed)) === 'invalid_json').toBe(!isJson)
    }),
    { numRuns: 2000 },
  )
})

describe('names that come twice', () => {
  test('the last counts, of bytes and of files', async () => {
    const twice = '{"name":"a","category":"c","bytes":"first words","bytes":"last words"}'
    const once = '{"name":"a","category":"c","bytes":"last words"}'
    expect(await read(`{"files":[${twice}]}`)).toEqual(await read(`{"files":[${once}]}`))
    expect(await read(`{"files":[${twice},${twice}],"files":[${once}]}`)).toEqual(await read(`{"files":[${once}]}`))
  })

  test('also when the last is none', async () => {
    const file = '{"name":"a","category":"c","bytes":"first words","bytes":null}'
    expect(await read(`{"files":[${file}]}`)).toMatchObject([{ origin: 'none' }])
    expect(await refusal('{"files":[{"name":"a","category":"c","bytes":"first"}],"files":5}')).toBe('validation_failed')
  })

  test('a name is the same however it is written', async () => {
    const file = String.raw`{"name":"a","category":"c","b\u0079tes":"words of it"}`
    const body = String.raw`{"f\u0069les":[${file}]}`
    expect(await read(body)).toEqual(await read('{"files":[{"name":"a","category":"c","bytes":"words of it"}]}'))
  })
})

test('what is deep inside other fields is not content', async () => {
  const deep = '{"files":[{"name":"a","category":"c","bytes":{"bytes":"x"}}]}'
  expect(await read(deep)).toMatchObject([{ origin: 'none', fault: expect.stringContaining('"bytes"') as string }])
  expect(await refusal('{"other":{"files":[{"bytes":"x"}]}}')).toBe('validation_failed')
})

test('a body that is not in UTF-8 is refused, in the content too', async () => {
  const body = Buffer.from('{"files":[{"name":"a","category":"c","bytes":"grö"}]}', 'latin1')
  expect(await refusal(body)).toBe('invalid_json')
})

test('what is said about files is limited apart from their contents, whose size does not count', async () => {
  const item = (name: string) => `{"name":"a","category":"c","bytes":"${name}"}`
  expect(await refusal(`{"files":[${item('text '.repeat(2_000_000))}]}`)).toBe('taken')
  expect(await refusal(`{"files":[${'0,'.repeat(5_000_000)}0]}`)).toBe('request_too_large')
  expect(await refusal(`{"files":[${item('a')}],"owners":${'['.repeat(9_000_000)}`)).toBe('request_too_large')
})
