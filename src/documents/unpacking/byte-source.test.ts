import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { base64Source, type ByteSource } from './byte-source.ts'
import { itemContent, type ItemEncoding } from './item-content.ts'

async function bytesOf(source: ByteSource | null): Promise<Buffer | null> {
  if (source === null) return null
  const pieces: Uint8Array[] = []
  for await (const piece of source.pieces()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The content of an item whose `bytes` is this string. */
async function contentOf(text: string, encoding: ItemEncoding | null = null): Promise<string | null> {
  const raw = Buffer.from(JSON.stringify(text).slice(1, -1))
  const content = itemContent(raw, encoding)
  return content.kind === 'content' ? String(await bytesOf(content.source)) : null
}

describe('base64', () => {
  test('any bytes come back, in either alphabet, with padding or without', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const standard = Buffer.from(bytes).toString('base64')
        const url = Buffer.from(bytes).toString('base64url')
        for (const encoded of [standard, standard.replaceAll('=', ''), url])
          expect(await bytesOf(base64Source(Buffer.from(encoded)))).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('a content of several pieces comes back whole', async () => {
    const bytes = Buffer.alloc(7 * 1024 * 1024 + 1, 'some text that repeats itself ')
    expect((await bytesOf(base64Source(Buffer.from(bytes.toString('base64')))))?.equals(bytes)).toBe(true)
  })

  test.each(['a', 'abcde', 'ab=c', 'ab==cd==', 'a b c d', 'ab+/_-', 'äöü', 'abc===', 'abcd=', '===='])(
    '%p is none',
    (text) => {
      expect(base64Source(Buffer.from(text))).toBeNull()
    },
  )
})

describe('the content of an item', () => {
  test('base64 is decoded, also with the prefix of a data URL', async () => {
    expect(await contentOf('aGVsbG8=')).toBe('hello')
    expect(await contentOf('data:text/plain;charset=utf-8;base64,aGVsbG8=')).toBe('hello')
  })

  test('what is not base64 is the text itself', async () => {
    expect(await contentOf('Hello, wörld!\n"quoted"')).toBe('Hello, wörld!\n"quoted"')
  })

  test('base64 that an encoder broke into lines is decoded', async () => {
    const text = 'a long text that an encoder writes in several lines. '.repeat(10)
    const lines = Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\n')
    expect(await contentOf(lines)).toBe(text)
    expect(await contentOf(lines.replaceAll('\n', '\r\n'))).toBe(text)
  })

  test('short lines of letters are a text', async () => {
    expect(await contentOf('one\ntwo\nsix\n')).toBe('one\ntwo\nsix\n')
  })

  test('encoding utf-8 takes base64 for what it says', async () => {
    expect(await contentOf('aGVsbG8=', 'utf-8')).toBe('aGVsbG8=')
  })

  test('encoding base64 takes nothing else', async () => {
    expect(await contentOf('Hello, world!', 'base64')).toBeNull()
    expect(await contentOf('aGVs\nbG8=', 'base64')).toBe('hello')
  })

  test('a slash that JSON escapes is the slash', async () => {
    const raw = Buffer.from(String.raw`\/\/\/\/`)
    const content = itemContent(raw, null)
    expect(content.kind === 'content' && (await bytesOf(content.source))).toEqual(Buffer.from('////', 'base64'))
  })
})
