import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '#errors/api-error.ts'
import { expectLinear } from '#test/support/growth.ts'
import { multipartBoundary, MultipartScanner, parseMultipart, readPart, type MultipartToken } from './multipart.ts'

const boundary = 'edge'

function form(parts: readonly (readonly [head: string, content: Uint8Array | string])[], preamble = ''): Buffer {
  const pieces = parts.flatMap(([head, content]) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([Buffer.from(preamble), ...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

const named = (name: string) => `Content-Disposition: form-data; name="${name}"`

function cut(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(offsets.map((offset) => offset % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)))
}

async function* piecesOf(bytes: Buffer, offsets: readonly number[] = []): AsyncGenerator<Uint8Array> {
  yield* cut(bytes, offsets)
}

async function partsOf(bytes: Buffer, offsets?: readonly number[]) {
  const parts: { name: string; fileName: string | null; contentType: string | null; content: string }[] = []
  for await (const part of parseMultipart(piecesOf(bytes, offsets), boundary)) {
    const { name, fileName, contentType } = part
    parts.push({ name, fileName, contentType, content: (await readPart(part, 1_000_000))!.toString('latin1') })
  }
  return parts
}

const near = fc.oneof(
  fc.constantFrom('\r\n--edg', '\r\n--', '\r', '\n', '--edge', '\r\n\r\n', ''),
  fc.string({ unit: 'binary-ascii' }),
)
const content = fc
  .array(near, { maxLength: 6 })
  .map((pieces) => pieces.join(''))
  .filter((each) => !each.includes('\r\n--edge'))

describe('a multipart body', () => {
  test('gives the same parts however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 4 }), fc.array(fc.nat(2000)), async (contents, offsets) => {
        const bytes = form(contents.map((each, index) => [named(`p${index}`), Buffer.from(each, 'latin1')]))
        const parts = await partsOf(bytes, offsets)
        expect(parts.map((part) => [part.name, part.content])).toEqual(contents.map((each, at) => [`p${at}`, each]))
      }),
    )
  })

  test('gives tokens whose bytes are the body itself, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 3 }), fc.array(fc.nat(500)), content, (contents, offsets, after) => {
        const whole = form(
          contents.map((each, at) => [named(`p${at}`), Buffer.from(each, 'latin1')]),
          'before\r\n',
        )
        const bytes = Buffer.concat([whole, Buffer.from(after, 'latin1')])
        const scanner = new MultipartScanner(boundary)
        const tokens: MultipartToken[] = cut(bytes, offsets).flatMap((piece) => [...scanner.push(piece)])
        scanner.end()
        expect(Buffer.concat(tokens.map((token) => token.bytes)).equals(bytes)).toBe(true)
      }),
    )
  })

  test('tells names and types, quoted or not, in any case', async () => {
    const parts = await partsOf(
      form([
        ['content-disposition: form-data; name=plain', '1'],
        ['CONTENT-TYPE: image/*\r\nContent-Disposition: form-data; filename="a \\"b\\".png"; name="image_data"', '2'],
      ]),
    )
    expect(parts).toEqual([
      { name: 'plain', fileName: null, contentType: null, content: '1' },
      { name: 'image_data', fileName: 'a "b".png', contentType: 'image/*', content: '2' },
    ])
  })

  test('skips what its reader leaves of a part', async () => {
    const names: string[] = []
    for await (const part of parseMultipart(
      piecesOf(
        form([
          [named('a'), 'x'.repeat(5000)],
          [named('b'), 'y'],
        ]),
      ),
      boundary,
    )) {
      names.push(part.name)
      if (part.name === 'a') expect(await readPart(part, 10)).toBeNull()
    }
    expect(names).toEqual(['a', 'b'])
  })
})

describe('400 for a body', () => {
  const bad: Readonly<Record<string, string>> = {
    'without a closing delimiter': `--edge\r\n${named('a')}\r\n\r\nx`,
    'that is empty': '',
    'of another boundary': '--other\r\n',
    'with a part that has no name': '--edge\r\nContent-Disposition: form-data\r\n\r\nx\r\n--edge--',
    'with a part that is an attachment': '--edge\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--edge--',
    'with something else behind a delimiter': `--edgeX\r\n${named('a')}\r\n\r\nx\r\n--edge--`,
    'with a field twice': `--edge\r\n${named('a')}\r\n${named('b')}\r\n\r\nx\r\n--edge--`,
    'with two names': `--edge\r\n${named('a')}; name="b"\r\n\r\nx\r\n--edge--`,
    'with a name in another notation': `--edge\r\n${named('a')}; name*=utf-8''b\r\n\r\nx\r\n--edge--`,
    'with a name behind a quote that does not close': `--edge\r\n${named('a')}; x="; name="b"\r\n\r\nx\r\n--edge--`,
    'with a backslash in a name': `--edge\r\n${named('a\\b')}\r\n\r\nx\r\n--edge--`,
    'with a bare line feed in a field': `--edge\r\n${named('a')}\nContent-Type: b\r\n\r\nx\r\n--edge--`,
    'with a folded field': `--edge\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\nx\r\n--edge--`,
    'with an endless head': `--edge\r\n${named('a')}\r\nX: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--edge--`,
    'with an endless preamble': 'x'.repeat(20_000),
    'with too many parts': form(Array.from({ length: 1001 }, (_, at) => [named(`p${at}`), ''] as const)).toString(),
  }
  for (const [what, body] of Object.entries(bad)) {
    test(what, async () => {
      const thrown = await partsOf(Buffer.from(body)).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(ApiError)
      expect((thrown as ApiError).code).toBe('invalid_multipart')
    })
  }
})

test('the boundary is taken from the content type, quoted or not', () => {
  expect(multipartBoundary('multipart/form-data; boundary=abc')).toBe('abc')
  expect(multipartBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a b"')).toBe('a b')
  for (const type of [
    null,
    'application/json',
    'multipart/mixed; boundary=a',
    'multipart/form-data',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
  ])
    expect(multipartBoundary(type)).toBeNull()
})

describe('the cost of a multipart body grows with its length only', () => {
  const limits = { partsMax: 100_000, headBytesMax: 10_000_000, preambleBytesMax: 10_000_000 }
  const disposition = (value: string): Buffer => form([[`Content-Disposition: ${value}`, '']])
  const heads: Readonly<Record<string, (size: number) => string>> = {
    'spaces before a parameter': (size) => `form-data;${' '.repeat(size)}x`,
    'spaces after a name': (size) => `form-data; name${' '.repeat(size)}x`,
    'spaces after the sign': (size) => `form-data; name=${' '.repeat(size)}`,
    'spaces after a value': (size) => `form-data; name="a"${' '.repeat(size)}x`,
    'spaces after the last semicolon': (size) => `form-data; name=a;${' '.repeat(size)}"`,
    semicolons: (size) => `form-data${';'.repeat(size)}`,
    'parameters without values': (size) => `form-data${';a'.repeat(size / 2)}`,
    'many parameters': (size) => `form-data; name=a${';a="b"'.repeat(size / 6)}`,
    'a long name': (size) => `form-data; ${'a'.repeat(size)}`,
    'an open quote': (size) => `form-data; name="${'a'.repeat(size)}`,
    backslashes: (size) => `form-data; name="${'\\'.repeat(size)}`,
    'quotes without an end': (size) => `form-data; name="a"${';a="'.repeat(size / 4)}`,
  }
  for (const [what, value] of Object.entries(heads)) {
    test(`a head with ${what}`, () =>
      expectLinear({
        from: 2_000,
        make: (size) => disposition(value(size)),
        run: (bytes) => new MultipartScanner(boundary, limits).push(bytes),
      }))
  }

  test('a content type with spaces', () =>
    expectLinear({
      from: 8_000,
      make: (size) => `multipart/form-data${' '.repeat(size)};${' '.repeat(size)}boundary${' '.repeat(size)}x`,
      run: multipartBoundary,
    }))

  const bodies: Readonly<Record<string, (size: number) => Buffer>> = {
    'a long head': (size) => form([[`${named('a')}\r\nX-More: ${'a'.repeat(size)}`, 'b']]),
    'a preamble': (size) => form([[named('a'), 'b']], `${'\r'.repeat(size)}\r\n`),
    content: (size) => form([[named('a'), '\r\n--edg'.repeat(size / 8)]]),
  }
  for (const [what, body] of Object.entries(bodies)) {
    test(`${what} that comes byte by byte`, () =>
      expectLinear({
        from: 2_000,
        make: body,
        run: (bytes) => {
          const scanner = new MultipartScanner(boundary, limits)
          for (let at = 0; at < bytes.length; at += 1) scanner.push(bytes.subarray(at, at + 1))
        },
      }))
  }
})
