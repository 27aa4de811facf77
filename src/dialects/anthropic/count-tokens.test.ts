import { describe, expect, test } from 'bun:test'
import { countTokens as encoderCount } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens, imageTokens } from './count-tokens.ts'
import { imageSize } from './image-size.ts'

type Json = Readonly<Record<string, unknown>>

const perMessage = 4
const count = (content: unknown, fields: Json = {}) =>
  countTokens({ model: 'm', messages: [{ role: 'user', content }], ...fields }, 'account')

/** The first bytes of a file of this size; what follows them is not looked at. */
const files = {
  png: (width: number, height: number) =>
    Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), uint32(width), uint32(height)]),
  gif: (width: number, height: number) => Buffer.concat([Buffer.from('GIF89a'), uint16le(width), uint16le(height)]),
  jpeg: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from('ffd8ffe00004abcdffc40003ab', 'hex'),
      Buffer.from('ffc0001108', 'hex'),
      uint16(height),
      uint16(width),
    ]),
  webpLossy: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from('RIFF....WEBPVP8 ....'),
      Buffer.from('000000 9d012a'.replace(' ', ''), 'hex'),
      uint16le(width),
      uint16le(height),
    ]),
  webpLossless: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from('RIFF....WEBPVP8L....'),
      Buffer.from('2f', 'hex'),
      uint32le((width - 1) | ((height - 1) << 14)),
      Buffer.alloc(8),
    ]),
  webpExtended: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from('RIFF....WEBPVP8X........'),
      uint32le(width - 1).subarray(0, 3),
      uint32le(height - 1).subarray(0, 3),
    ]),
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}
function uint16le(value: number): Buffer {
  return uint16(value).reverse()
}
function uint32(value: number): Buffer {
  return Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)])
}
function uint32le(value: number): Buffer {
  return uint32(value).reverse()
}

describe('text', () => {
  test('counts as the encoder counts it', async () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(3)
    expect(await count(text)).toBe(encoderCount(text) + perMessage)
    expect(await count([{ type: 'text', text }])).toBe(encoderCount(text) + perMessage)
  })
  test('counts in the system prompt, in results and in calls', async () => {
    const plain = await count('Hi')
    expect(await count('Hi', { system: 'Be brief.' })).toBe(plain + encoderCount('Be brief.') + perMessage)
    expect(await count([{ type: 'tool_result', tool_use_id: 'c', content: 'Hi' }])).toBe(plain)
    const call = { type: 'tool_use', id: 'c', name: 'weather', input: { city: 'Bern' } }
    const messages = [{ role: 'assistant', content: [call] }]
    expect(await countTokens({ model: 'm', messages }, 'account')).toBeGreaterThan(
      perMessage + encoderCount('weather{"city":"Bern"}'),
    )
  })
  test('counts marks as the plain text that they are', async () => {
    expect(await count('<|endoftext|>')).toBeGreaterThan(perMessage + 1)
  })
  test('counts in a long unbroken run', async () => {
    expect(await count('a'.repeat(200_000))).toBeGreaterThan(10_000)
  })
})

test('tools count with their descriptions', async () => {
  const tools = [{ name: 'weather', description: 'Tells the weather of a city', input_schema: { type: 'object' } }]
  expect(await count('Hi', { tools })).toBeGreaterThan(
    (await count('Hi')) + encoderCount('Tells the weather of a city'),
  )
})

describe('a picture', () => {
  test.each([
    [28, 28, 1],
    [29, 28, 2],
    [200, 200, 64],
    [1000, 1000, 1296],
    [1568, 1568, 1568],
    [3136, 280, 280],
    [1, 1, 1],
  ])('of %d by %d pixels is %d tokens', async (width, height, tokens) => {
    expect(imageTokens({ width, height })).toBe(tokens)
    const source = { type: 'base64', media_type: 'image/png', data: files.png(width, height).toString('base64') }
    expect(await count([{ type: 'image', source }])).toBe(tokens + perMessage)
  })

  test.each(Object.entries(files))('has the size that its file says: %s', (_kind, file) => {
    for (const [width, height] of [
      [1, 1],
      [640, 480],
      [1568, 3000],
    ] as const) {
      expect(imageSize(file(width, height))).toEqual({ width, height })
    }
  })

  test('of unknown size is as large as can be', async () => {
    const rows = [
      { type: 'url', url: 'https://example.org/a.png' },
      { type: 'base64', media_type: 'image/png', data: 'AAAA' },
      { type: 'base64', media_type: 'image/png', data: '' },
    ]
    for (const source of rows) expect(await count([{ type: 'image', source }])).toBe(1568 + perMessage)
  })

  test.each(Object.entries(files))('that is cut anywhere is not an error: %s', (_kind, file) => {
    const bytes = file(640, 480)
    for (let end = 0; end < bytes.length; end += 1) {
      const size = imageSize(bytes.subarray(0, end))
      expect(size === null || size.width > 0).toBe(true)
    }
  })
})

test('a PDF counts by its pages', async () => {
  const document = (pdf: string) => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(pdf).toString('base64') },
  })
  const two = '%PDF-1.7 <</Type /Pages /Count 2>> <</Type /Page>> <</Type/Page/Parent 1 0 R>>'
  expect(await count([document(two)])).toBe(2 * 2250 + perMessage)
  expect(await count([document('%PDF-1.7 compressed')])).toBe(2250 + perMessage)
})

test('a body that could not be sent is refused', async () => {
  const refused = (body: Json) =>
    countTokens(body, 'account').then(
      () => null,
      (error: unknown) => error,
    )
  expect(await refused({ model: 'm', messages: [] })).toMatchObject({ code: 'invalid_body' })
  expect(await refused({ messages: [{ role: 'user', content: 'Hi' }] })).toMatchObject({ code: 'missing_model' })
})
