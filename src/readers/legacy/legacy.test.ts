import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { biff, writeCompound, writeDoc, writeMsg, writePpt, writeXls } from '#test/support/documents/compound-writer.ts'
import { failureOf } from '#test/support/documents/read-office.ts'
import { readFile } from '../readers.ts'
import { openCompound } from '../compound.ts'

const limits = { textMax: 1_000_000, pagesMax: 1_000, unpackedBytesMax: 10_000_000 }
const read = (bytes: Uint8Array, changed: Partial<typeof limits> = {}) =>
  readFile({ bytes, name: 'a', reader: 'auto', limits: { ...limits, ...changed } })

const cell = (text: string) => ({ text: `${text}\x07`, inTable: true })
const rowEnd = { text: '\x07', endsRow: true }
const doc = writeDoc(
  [
    { text: 'Report\r', style: 1 },
    { text: 'Words with “quotes” and Ελληνικά.\r' },
    { text: 'See \x13HYPERLINK "x"\x14the page\x15 and\x0bgo on.\r' },
    cell('Item'),
    cell('Price'),
    rowEnd,
    { text: 'Ap\r', inTable: true },
    cell('ples'),
    cell('3'),
    rowEnd,
    { text: 'After.\r' },
  ],
  { heads: 'Annual report\rAnnual report\rPage 7\r', comments: 'A private comment\r', boxes: 'In a box\r' },
)

describe('Word 97', () => {
  test('headings, both kinds of letters, fields, tables and text boxes are read, then comments and, once, what is on all pages', async () => {
    const { text, mediaType, headings } = await read(doc)
    expect(mediaType).toBe('application/msword')
    expect(text).toBe(
      '# Report\n\nWords with “quotes” and Ελληνικά.\n\nSee the page and\ngo on.\n\n| Item | Price |\n| --- | --- |\n| Ap ples | 3 |\n\nAfter.\n\nIn a box\n\n(Comment: A private comment)\n\n(Page header or footer: Annual report)',
    )
    expect(headings.map(({ level, title }) => [level, title])).toEqual([[1, 'Report']])
  })

  test('a protected one is encrypted', async () => {
    expect(await failureOf(read(writeDoc([{ text: 'x\r' }], { encrypted: true })))).toBe('encrypted')
  })
})

const number = (row: number, column: number, look: number, value: number): Buffer => {
  const data = Buffer.alloc(14)
  data.writeUInt16LE(row, 0)
  data.writeUInt16LE(column, 2)
  data.writeUInt16LE(look, 4)
  data.writeDoubleLE(value, 6)
  return biff(0x203, data)
}
const shared = (row: number, column: number, index: number): Buffer =>
  biff(0xfd, Buffer.from([row, 0, column, 0, 0, 0, index, 0, 0, 0]))
const format = (id: number): Buffer => biff(0xe0, Buffer.from([0, 0, id, 0]))

/** Texts whose second one runs on over a record, and changes there from one byte to two. */
const strings = Buffer.concat([
  biff(
    0xfc,
    Buffer.concat([
      Buffer.from('0300000003000000', 'hex'),
      Buffer.from('\x04\0\0Name', 'latin1'),
      Buffer.from('\x06\0\0Wo', 'latin1'),
    ]),
  ),
  biff(0x3c, Buffer.concat([Buffer.from([1]), Buffer.from('rt🙂'.slice(0, 4), 'utf16le')])),
  biff(0x3c, Buffer.concat([Buffer.from('\x04\0\0Date', 'latin1')])),
])

describe('Excel 97', () => {
  const formula = (result: string): Buffer =>
    biff(0x06, Buffer.concat([Buffer.from('020001000000', 'hex'), Buffer.from(result, 'hex'), Buffer.alloc(8)]))
  const xls = writeXls([format(0), format(14), format(9), strings], {
    Prices: [
      shared(0, 0, 0),
      shared(0, 1, 1),
      shared(0, 2, 2),
      number(1, 0, 2, 0.25),
      biff(0x27e, Buffer.from([1, 0, 1, 0, 0, 0, ...u32(((1234 << 2) | 3) >>> 0)])),
      number(1, 2, 1, 45_292),
      formula('000000000000ffff'),
      biff(0x207, Buffer.from('\x05\0\0total', 'latin1')),
      biff(0x205, Buffer.from([2, 0, 2, 0, 0, 0, 7, 1])),
      biff(0xbd, Buffer.from([3, 0, 0, 0, 0, 0, ...u32((7 << 2) | 2), 0, 0, ...u32((8 << 2) | 2), 1, 0])),
    ],
    Secret: [shared(0, 0, 0)],
  })

  test('shared and continued texts, numbers as they are shown, results of formulas and errors are read by sheet', async () => {
    const { text, pages, mediaType } = await read(xls)
    expect(mediaType).toBe('application/vnd.ms-excel')
    expect(text).toContain(
      '| Name | Wort🙂 | Date |\n| --- | --- | --- |\n| 25% | 12.34 | 2024-01-01 |\n|  | total | #DIV/0! |\n| 7 | 8 |',
    )
    expect(pages.map(({ label }) => label)).toEqual(['Prices', 'Secret'])
    expect(text).toContain('# Secret\n\n(This sheet is hidden in the workbook.)')
  })

  test('a protected one is encrypted', async () => {
    expect(await failureOf(read(writeXls([biff(0x2f, Buffer.alloc(6))], { A: [] })))).toBe('encrypted')
  })
})

function u32(value: number): number[] {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return [...bytes]
}

const ppt = writePpt([
  { title: 'Beginning', body: 'One\rTwo', own: 'A box of its own', notes: 'Say hello' },
  { title: 'Ende – Ελλ', body: '*' },
])

test('PowerPoint 97: slides with titles, texts of the outline and of boxes, and notes', async () => {
  const { text, pages, title, mediaType } = await read(ppt)
  expect(mediaType).toBe('application/vnd.ms-powerpoint')
  expect(text).toBe('# Beginning\n\nOne\n\nTwo\n\nA box of its own\n\nSpeaker notes: Say hello\n\n# Ende – Ελλ')
  expect([pages.length, title]).toEqual([2, 'Beginning'])
})

const msg = writeMsg({
  '0037001F': 'Offer – für Sie',
  '0C1A001F': 'Anna',
  '5D01001F': 'anna@example.com',
  '0E04001E': 'Ben',
  '1000001F': 'The text of the mail.',
  '__attach_version1.0_#00000000/3707001F': 'notes.txt',
  '__attach_version1.0_#00000000/37010102': Buffer.from('What is attached.'),
  '__attach_version1.0_#00000001/3707001F': 'old.doc',
  '__attach_version1.0_#00000001/37010102': doc,
})

describe('mails of Outlook', () => {
  test('have head, text and attachments, each on its page', async () => {
    const { text, title, pages, mediaType } = await read(msg)
    expect(mediaType).toBe('application/vnd.ms-outlook')
    expect(text).toStartWith(
      'From: Anna <anna@example.com>\nTo: Ben\nSubject: Offer – für Sie\n\nThe text of the mail.\n\nWhat is attached.\n\n# Report',
    )
    expect([title, pages.map(({ label }) => label)]).toEqual(['Offer – für Sie', [null, 'notes.txt', 'old.doc']])
  })

  test('without another body have that of the compressed RTF', async () => {
    // The example of MS-OXRTFCP, 3.1.1.
    const packed = Buffer.from(
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c09002062770' + '5b06c647d0a800fa0',
      'hex',
    )
    expect((await read(writeMsg({ '0037001F': 'S', '10090102': packed }))).text).toContain('hello world')
    const plain = Buffer.from('{\\rtf1 hello world\\par}')
    const head = Buffer.alloc(16)
    head.writeUInt32LE(0x414c454d, 8)
    expect((await read(writeMsg({ '0037001F': 'S', '10090102': Buffer.concat([head, plain]) }))).text).toContain(
      'hello world',
    )
  })
})

describe('hostile compound files', () => {
  const files = { doc, ppt, msg, xls: writeXls([strings], { A: [shared(0, 0, 0)] }) }

  test.each(Object.entries(files))(
    '%s cut off anywhere, and with any byte changed, is read or refused',
    async (_, file) => {
      const outcomes = ['read', 'damaged', 'no_text', 'encrypted', 'unsupported_type', 'too_complex']
      await fc.assert(
        fc.asyncProperty(fc.nat(file.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
          const changed = cut ? file.subarray(0, at) : Buffer.from(file)
          if (!cut) changed[at] = byte
          expect(outcomes).toContain(await failureOf(read(changed)))
        }),
        { numRuns: 150 },
      )
    },
  )

  test('whose chains of sectors are loops end', () => {
    const file = writeCompound({ WordDocument: new Uint8Array(10_000), Other: new Uint8Array(100) })
    for (let at = 512; at + 4 <= file.length; at += 4) {
      if (file.readUInt32LE(at) !== 0xfffffffe) continue
      const looped = Buffer.from(file)
      looped.writeUInt32LE(0, at)
      expect(() => {
        const opened = openCompound(looped, 1_000_000)
        for (const name of opened.names) opened.read(name)
      }).not.toThrow(RangeError)
    }
  })

  test('cost no more than the limit', () => {
    const opened = openCompound(writeCompound({ A: new Uint8Array(8_000), B: new Uint8Array(8_000) }), 10_000)
    opened.read('A')
    expect(() => opened.read('B')).toThrow(/larger together/)
  })
})
