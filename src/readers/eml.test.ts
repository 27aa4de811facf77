import { describe, expect, test } from 'bun:test'
import { failureOf } from '#test/support/documents/read-office.ts'
import { existsSync, readFileSync } from 'node:fs'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import { readFile } from './readers.ts'
import type { Reading, ReadLimits } from './reading.ts'

const limits: ReadLimits = { textMax: 1_000_000, pagesMax: 1000, unpackedBytesMax: 10_000_000 }

function readBytes(bytes: Uint8Array, changed: Partial<ReadLimits> = {}): Promise<Reading> {
  return readFile({ bytes, name: 'a.eml', reader: 'eml', limits: { ...limits, ...changed } })
}

function read(text: string): Promise<Reading> {
  return readBytes(Buffer.from(text))
}

const headers = [
  'From: Anna Example <anna@example.org>',
  'To: bob@example.org, "Carol" <carol@example.org>',
  'Date: Wed, 4 Jan 2023 11:36:14 -0600',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
].join('\r\n')
const shownHeaders = [
  'From: Anna Example <anna@example.org>',
  'To: bob@example.org, Carol <carol@example.org>',
  'Date: Wed, 4 Jan 2023 11:36:14 -0600',
  'Subject: Grüße',
].join('\n')

function multipart(kind: string, boundary: string, parts: readonly string[]): string {
  return (
    `Content-Type: multipart/${kind}; boundary=${boundary}\r\n\r\n` +
    `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--`
  )
}

function plain(text: string): string {
  return `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`
}
function html(text: string): string {
  return `Content-Type: text/html; charset=utf-8\r\n\r\n${text}`
}
function attachment(type: string, name: string, bytes: Uint8Array): string {
  return (
    `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\n` +
    `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString('base64')}`
  )
}
function mail(body: string): string {
  return `${headers}\r\n${body}`
}

describe('the mail itself', () => {
  test('the headers that a reader sees come first, the subject is the title', async () => {
    const reading = await read(mail(plain('Hello')))
    expect(reading.text).toBe(`${shownHeaders}\n\nHello`)
    expect(reading.title).toBe('Grüße')
    expect(reading.pages).toEqual([])
  })

  test('of two bodies that say the same the plain one is read', async () => {
    const { text } = await read(mail(multipart('alternative', 'x', [plain('Hello,\nBob'), html('<p>Hello, Bob</p>')])))
    expect(text).toBe(`${shownHeaders}\n\nHello,\nBob`)
  })

  test('the HTML body is read when the plain one says less', async () => {
    const page = '<h1>News</h1><p>Everything that happened this week.</p><table><tr><td>a</td><td>b</td></tr></table>'
    const { text, headings } = await read(
      mail(multipart('alternative', 'x', [plain('Your program cannot show this mail.'), html(page)])),
    )
    expect(text).toContain('# News\n\nEverything that happened this week.')
    expect(text).not.toContain('cannot show')
    expect(headings.map(({ start, end }) => text.slice(start, end))).toEqual(['# News'])
  })

  test('the line that a mail box puts before a mail is not part of it', async () => {
    expect((await read(`From someone@example.org Wed Jul 16 06:24:10 2008\n${mail(plain('Hello'))}`)).text).toBe(
      `${shownHeaders}\n\nHello`,
    )
  })
})

describe('attachments', () => {
  const report = writePdf({ pages: [{ texts: column(['Words of the report']) }] })

  test('each one begins a page that bears its name', async () => {
    const { text, pages } = await read(
      mail(
        multipart('mixed', 'x', [
          plain('See below'),
          attachment('application/pdf', 'report.pdf', report),
          attachment('text/csv', 'list.csv', Buffer.from('a,b\n1,2\n')),
        ]),
      ),
    )
    expect(pages.map(({ number, label }) => [number, label])).toEqual([
      [1, null],
      [2, 'report.pdf'],
      [3, 'list.csv'],
    ])
    expect(text.slice(pages[1]?.start)).toStartWith('Words of the report')
    expect(text.slice(pages[2]?.start)).toStartWith('| a | b |')
  })

  test('one that cannot be read costs a warning and not the mail', async () => {
    const { text, warnings } = await read(
      mail(
        multipart('mixed', 'x', [plain('Hello'), attachment('application/zip', 'a.zip', Buffer.from('PK\x03\x04 …'))]),
      ),
    )
    expect(text).toContain('Hello')
    expect(warnings.join()).toContain('a.zip was left out.')
  })

  test('more bytes than allowed are left out with a warning', async () => {
    const large = attachment('text/plain', 'large.txt', Buffer.alloc(5000, 'word '))
    const { text, warnings } = await readBytes(Buffer.from(mail(multipart('mixed', 'x', [plain('Hello'), large]))), {
      unpackedBytesMax: 4000,
    })
    expect(text).not.toContain('word')
    expect(warnings).toHaveLength(1)
  })

  test('a picture within the text is left out with a warning', async () => {
    const picture = 'Content-Type: image/png\r\nContent-Disposition: inline\r\nContent-ID: <a>\r\n\r\nx'
    const { warnings, pages } = await read(
      mail(multipart('related', 'x', [html('<p>Hello</p><img src=cid:a>'), picture])),
    )
    expect(warnings).toEqual(['Pictures within the text of the mail were left out.'])
    expect(pages).toEqual([])
  })

  test('mails within mails are read three deep and no deeper', async () => {
    const within = (depth: number): string =>
      mail(
        multipart('mixed', `b${depth}`, [
          plain(`Depth ${depth}.`),
          ...(depth < 5 ? [`Content-Type: message/rfc822\r\n\r\n${within(depth + 1)}`] : []),
        ]),
      )
    const { text, warnings } = await read(within(1))
    expect(text).toContain('Depth 3.')
    expect(text).not.toContain('Depth 4.')
    expect(warnings.join()).toContain('3 deep')
  })
})

describe('files that are not what they should be', () => {
  test('1,000 parts within each other are too complex', async () => {
    let body = plain('Hello')
    for (let at = 0; at < 1000; at += 1) body = multipart('mixed', `b${at}x`, [body])
    expect(await failureOf(read(mail(body)))).toBe('too_complex')
  })

  test('a mail with 20,000 parts comes to an end', async () => {
    const parts = Array.from({ length: 20_000 }, () => plain('a'))
    expect(await failureOf(read(mail(multipart('mixed', 'x', parts))))).toBe('read')
  })

  test('a file without sender, date and subject is not a mail', async () => {
    expect(await failureOf(read('Just some text.\r\n\r\nAnd more.'))).toBe('damaged')
  })

  test('a mail cut off anywhere is read or damaged', async () => {
    const whole = Buffer.from(
      mail(multipart('mixed', 'x', [plain('Hello'), attachment('text/plain', 'a.txt', Buffer.from('more'))])),
    )
    for (let length = 0; length < whole.length; length += 7) {
      expect(['read', 'damaged', 'no_text']).toContain(await failureOf(readBytes(whole.subarray(0, length))))
    }
  })
})

const samples = '../shared/corpus/eml'

describe.skipIf(!existsSync(samples))('mails of the wild (skipped without ../shared/corpus)', () => {
  test('a Hebrew mail of 2008 is in letters', async () => {
    const { text, title } = await readBytes(readFileSync(`${samples}/email-no-utf8-2008-07-16.062410.eml`))
    expect(title).toBe('RE: שלום')
    expect(text).toContain('סלבה היקר,')
    expect(text).not.toContain('\ufffd')
  })

  test('a picture that is attached costs a warning', async () => {
    const { text, warnings } = await readBytes(readFileSync(`${samples}/email-with-image.eml`))
    expect(text).toContain('The unstructured logo is attached to this email.')
    expect(warnings.join()).toContain('unstructured_logo.png')
  })
})
