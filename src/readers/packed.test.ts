import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { failureOf } from '#test/support/documents/read-office.ts'
import { docx } from '#test/support/documents/office-files.ts'
import { zip } from '#test/support/documents/zip-writer.ts'
import { readFile } from './readers.ts'

const limits = { textMax: 1_000_000, pagesMax: 5_000, unpackedBytesMax: 1_000_000 }
const read = (bytes: Uint8Array, name = 'a', changed: Partial<typeof limits> = {}) =>
  readFile({ bytes, name, reader: 'auto', limits: { ...limits, ...changed } })

interface TarFile {
  readonly name: string
  readonly content?: string
  readonly kind?: string
  readonly size?: string
}

function tar(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap(({ name, content = '', kind = '0', size }) => {
    const body = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(size ?? body.length.toString(8).padStart(11, '0'), 124)
    header.write(kind, 156)
    header.write('ustar\0', 257)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1_024)])
}

describe('archives', () => {
  const word = docx('<w:p><w:r><w:t>In Word.</w:t></w:r></w:p>')

  test('ZIP: each file is a page with its name; what systems add is left out, what is not read costs a warning', async () => {
    const bytes = zip([
      { name: 'docs/', content: '' },
      { name: 'docs/a.txt', content: 'First.' },
      { name: 'docs/b.docx', content: word },
      { name: '__MACOSX/docs/._a.txt', content: 'junk' },
      { name: 'tool.exe', content: 'MZ\x90\0\x03\0\0\0' },
    ])
    const { text, pages, warnings, mediaType } = await read(bytes)
    expect([text, mediaType]).toEqual(['First.\n\nIn Word.', 'application/zip'])
    expect(pages.map(({ label }) => label)).toEqual(['docs/a.txt', 'docs/b.docx'])
    expect(warnings.join()).toContain('tool.exe was left out.')
  })

  test('TAR, also within gzip: long names are kept; links and devices are not followed', async () => {
    const long = `${'deep/'.repeat(40)}end.txt`
    const files = tar([
      { name: '../../etc/passwd', content: 'only a label' },
      { name: '././@LongLink', kind: 'L', content: `${long}\0` },
      { name: 'deep', content: 'Far down.' },
      { name: 'pax', kind: 'x', content: '22 path=named by pax\n' },
      { name: 'x', content: 'By pax.' },
      { name: 'link', kind: '2' },
      { name: 'device', kind: '3' },
    ])
    for (const bytes of [files, gzipSync(files)]) {
      const { text, pages } = await read(bytes)
      expect(text).toBe('only a label\n\nFar down.\n\nBy pax.')
      expect(pages.map(({ label }) => label)).toEqual(['../../etc/passwd', long, 'named by pax'])
    }
  })

  test('gzip: the file within is read by its own name', async () => {
    const { text } = await read(gzipSync('a,b\n1,2\n3,4\n'), 'values.csv.gz')
    expect(text).toStartWith('| a | b |')
  })

  test('mail boxes: each mail is a page, with what is attached', async () => {
    const mail = (n: number) => `From x\nFrom: a@b.c\nTo: d@e.f\nSubject: Number ${n}\n\nText ${n}\n\n`
    const { text, pages } = await read(Buffer.from(mail(1) + mail(2)), 'all.mbox')
    expect(text).toContain('Subject: Number 1\n\nText 1\n\nFrom: a@b.c')
    expect(pages).toHaveLength(2)
  })

  test('mail boxes: mails end where a line begins with From after an empty one, whatever ends the lines', async () => {
    const mails = [
      'From x\nFrom: a@b.c\nTo: d@e.f\nSubject: 1\n\nText\nFrom here on\n\n',
      'From x\r\nFrom: a@b.c\r\nTo: d@e.f\r\nSubject: 2\r\n\r\nText\r\nFrom me\r\n\r\n',
      'From x\nFrom: a@b.c\nTo: d@e.f\nSubject: 3\n',
    ]
    const { text, pages } = await read(Buffer.from(mails.join('')), 'all.mbox')
    expect(pages).toHaveLength(3)
    expect(text.match(/Subject: \d/g)).toEqual(['Subject: 1', 'Subject: 2', 'Subject: 3'])
    expect(text).toMatch(/From here on[^]*Text\s+From me/)
  })

  test('ZIP: files whose names differ in the size of letters only are two files', async () => {
    const files = ['Makefile', 'makefile'].map((name) => ({ name: `${name}.txt`, content: `The ${name}.` }))
    expect((await read(zip(files))).text).toBe('The Makefile.\n\nThe makefile.')
  })
})

describe('hostile archives', () => {
  const nested = (depth: number): Uint8Array =>
    depth === 0 ? Buffer.from('The innermost text.') : zip([{ name: `${depth}.zip`, content: nested(depth - 1) }])

  test('within archives are read three deep', async () => {
    expect((await read(nested(3))).text).toBe('The innermost text.')
    expect(await failureOf(read(nested(4)))).toBe('no_text')
  })

  test('archives in mails in archives count as well', async () => {
    const wrapped = (content: Uint8Array): Buffer =>
      Buffer.from(
        `From: a\nTo: b\nSubject: c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=a.zip\n\n${Buffer.from(content).toString('base64')}\n--x--\n`,
      )
    expect((await read(wrapped(nested(2)))).text).toContain('The innermost text.')
    const { text, warnings } = await read(wrapped(nested(3)))
    expect(text).not.toContain('The innermost text.')
    expect(warnings.join()).toContain('deep within each other')
  })

  test('bombs of all kinds end at the limits', async () => {
    const zeros = 'a'.repeat(3_000_000)
    expect(await failureOf(read(zip([{ name: 'a.txt', content: zeros }])))).toBe('too_complex')
    expect(await failureOf(read(gzipSync(zeros), 'a.txt.gz'))).toBe('too_complex')
    const part = 'b'.repeat(300_000)
    const inner = zip([
      { name: 'x.txt', content: part },
      { name: 'y.txt', content: `${part}y` },
    ])
    const { warnings } = await read(zip(Array.from({ length: 9 }, (_, at) => ({ name: `${at}.zip`, content: inner }))))
    expect(warnings.join()).toMatch(/too large together|more than/)
  })

  test('with more files than are read say how many are left out', async () => {
    const { warnings } = await read(
      tar(Array.from({ length: 10_100 }, (_, at) => ({ name: `${at}`, content: 'x' }))),
      'a',
      { unpackedBytesMax: 1e9, pagesMax: 20_000 },
    )
    expect(warnings.join()).toContain('100 more files were left out')
  })

  test('damaged in any way are refused', async () => {
    const cases: readonly [Uint8Array, string][] = [
      [tar([{ name: 'a', content: 'x', size: '77777777777' }]), 'damaged'],
      [tar([{ name: 'a', content: 'x', size: 'not octal' }]), 'damaged'],
      [tar([{ name: 'a', content: 'x', size: '-7777777' }]), 'damaged'],
      [gzipSync('abc').subarray(0, 12), 'damaged'],
      [tar([]), 'unsupported_type'],
      [zip([{ name: 'a.txt', content: 'x', encrypted: true }]), 'no_text'],
    ]
    for (const [bytes, code] of cases) expect(await failureOf(read(bytes))).toBe(code)
  })
})
