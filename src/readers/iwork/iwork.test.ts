/** Pages, Numbers and Keynote, by files that the tests write. */
import { describe, expect, test } from 'bun:test'
import {
  cell,
  decimal,
  iworkFile,
  message,
  reference,
  snap,
  tableRow,
  type WrittenObject,
} from '#test/support/documents/iwork-writer.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import { failureOf, failureOfAction } from '#test/support/documents/read-office.ts'
import { readFile } from '../readers.ts'
import type { Reading } from '../reading.ts'
import { unsnap } from './iwa.ts'

const limits = { textMax: 100_000, pagesMax: 100, unpackedBytesMax: 1_000_000 }
const read = (bytes: Uint8Array): Promise<Reading> => readFile({ bytes, name: 'file', reader: 'auto', limits })

const storage = (id: number, kind: number, text: string): WrittenObject => ({
  id,
  type: 2001,
  fields: [
    [1, kind],
    [3, text],
  ],
})
/** A shape with its text, as two objects. */
const shape = (id: number, text: string): WrittenObject[] => [
  { id, type: 2011, fields: [reference(4, id + 1)] },
  storage(id + 1, 3, text),
]

const seconds = Buffer.alloc(8)
seconds.writeDoubleLE(86_400)
const yes = Buffer.alloc(8)
yes.writeDoubleLE(1)
const key = (value: number): Buffer => Buffer.from([value, 0, 0, 0])

/** A table with texts, numbers, a date and a rich text, its model and all that belongs to it from `id` on. */
function table(id: number): WrittenObject[] {
  const rows = [
    tableRow(0, [cell(3, 8, key(1)), cell(3, 8, key(2)), null]),
    tableRow(2, [cell(9, 16, key(1)), cell(2, 1, decimal(-425, -2)), cell(5, 4, seconds), cell(6, 2, yes)]),
  ]
  const store = message(
    [3, message([1, message([1, 1], reference(2, id + 2))], [2, 256])],
    reference(4, id + 3),
    reference(17, id + 4),
  )
  return [
    { id, type: 6000, fields: [reference(2, id + 1)] },
    {
      id: id + 1,
      type: 6001,
      fields: [
        [4, store],
        [8, 'Fruit'],
      ],
    },
    { id: id + 2, type: 6002, fields: rows.map((row) => [5, row] as const) },
    {
      id: id + 3,
      type: 6005,
      fields: [
        [3, message([1, 1], [3, 'Name'])],
        [3, message([1, 2], [3, 'Price'])],
      ],
    },
    { id: id + 4, type: 6005, fields: [[3, message([1, 1], reference(9, id + 5))]] },
    { id: id + 5, type: 6218, fields: [reference(1, id + 6)] },
    storage(id + 6, 5, 'Plums'),
  ]
}
const tableText = '| Name | Price |  |  |\n| --- | --- | --- | --- |\n| Plums | -4.25 | 2001-01-02 | TRUE |'

test('Pages: the body, tables, notes, text boxes, comments, and what is on all pages once', async () => {
  const { text, mediaType } = await read(
    iworkFile({
      Document: [
        { id: 1, type: 10_000, fields: [] },
        storage(10, 1, 'Annual report'),
        storage(11, 1, 'Annual report'),
        storage(12, 1, 'Page \ufffc'),
        storage(13, 0, 'First.\nSecond with a picture\ufffc.'),
        storage(14, 2, 'Under the page.'),
        storage(15, 4, 'Why?'),
        ...shape(20, 'Boxed'),
        ...table(30),
      ],
    }),
  )
  expect(mediaType).toBe('application/vnd.apple.iwork')
  expect(text).toBe(
    `First.\n\nSecond with a picture.\n\nFruit\n\n${tableText}\n\nUnder the page.\n\nBoxed\n\n(Comment: Why?)\n\n(Page header or footer: Annual report)`,
  )
})

test('Numbers: a page for each sheet with its tables and text boxes', async () => {
  const { text, pages, tables } = await read(
    iworkFile({
      Document: [
        { id: 1, type: 1, fields: [reference(1, 2), reference(1, 3)] },
        { id: 2, type: 2, fields: [[1, 'Prices'], reference(2, 30), reference(2, 20)] },
        { id: 3, type: 2, fields: [[1, 'Notes'], reference(2, 40)] },
        ...shape(20, 'A remark'),
        ...shape(40, 'Elsewhere'),
      ],
      'Tables/Tile': table(30),
    }),
  )
  expect(text).toBe(`# Prices\n\nFruit\n\n${tableText}\n\nA remark\n\n# Notes\n\nElsewhere`)
  expect(pages.map(({ label }) => label)).toEqual(['Prices', 'Notes'])
  expect(tables).toHaveLength(1)
})

test('Keynote: slides in the order of the navigator, titles, groups, notes; hidden ones say so', async () => {
  const placeholder = (id: number, text: string): WrittenObject[] => [
    { id, type: 7, fields: [[1, message(reference(4, id + 1))]] },
    storage(id + 1, 3, text),
  ]
  const { text, pages } = await read(
    iworkFile({
      Document: [
        { id: 1, type: 1, fields: [reference(2, 2)] },
        { id: 2, type: 2, fields: [[3, message(reference(2, 4), reference(2, 3))]] },
        { id: 3, type: 4, fields: [reference(2, 5), [4, 1]] },
        { id: 4, type: 4, fields: [reference(2, 6), reference(1, 4)] },
      ],
      'Slide-5': [
        { id: 5, type: 5, fields: [reference(5, 50), reference(7, 50), reference(7, 60)] },
        ...placeholder(50, 'Second'),
        { id: 60, type: 3008, fields: [reference(2, 62)] },
        ...shape(62, 'In a group'),
      ],
      'Slide-6': [
        {
          id: 6,
          type: 6,
          fields: [reference(5, 70), reference(6, 72), reference(20, 74), reference(7, 74), reference(27, 76)],
        },
        ...placeholder(70, 'First'),
        ...placeholder(72, 'One\nTwo'),
        ...placeholder(74, '1'),
        { id: 76, type: 15, fields: [reference(1, 77)] },
        storage(77, 4, 'Say this.'),
      ],
    }),
  )
  expect(text).toBe(
    '# First\n\nOne\n\nTwo\n\nSpeaker notes: Say this.\n\n# Second\n\n(This slide is hidden in the presentation.)\n\nIn a group',
  )
  expect(pages.map(({ number }) => number)).toEqual([1, 2])
})

test('a file without parts that are understood is read by its preview, and says so', async () => {
  const preview = writePdf({ pages: [{ texts: column(['What the page shows.']) }] })
  const { text, warnings, pages } = await read(iworkFile({ Document: [] }, { 'QuickLook/Preview.pdf': preview }))
  expect(text).toBe('What the page shows.')
  expect(pages).toHaveLength(1)
  expect(warnings.join()).toContain('preview')
  expect(await failureOf(read(iworkFile({ Document: [] })))).toBe('no_text')
})

describe('files that are not what they should be', () => {
  const whole = iworkFile({ Document: [{ id: 1, type: 10_000, fields: [] }, storage(2, 0, 'Text')] })

  test('one with a password is encrypted', async () => {
    expect(await failureOf(read(iworkFile({ Document: [] }, { '.iwpv2': 'x' })))).toBe('encrypted')
  })

  test('any changed byte ends in a reading or a failure that says why', async () => {
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Uint8Array.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      expect(['read', 'damaged', 'no_text', 'too_complex', 'encrypted', 'unsupported_type']).toContain(
        await failureOf(read(changed)),
      )
    }
  })

  test('objects that refer to themselves end, and a tree of slides without end is walked once', async () => {
    const loop = iworkFile({
      Document: [
        { id: 1, type: 1, fields: [reference(2, 2)] },
        { id: 2, type: 2, fields: [[3, message(reference(2, 3))]] },
        { id: 3, type: 4, fields: [reference(2, 5), reference(1, 3)] },
      ],
      'Slide-5': [
        { id: 5, type: 5, fields: [reference(7, 6)] },
        { id: 6, type: 3008, fields: [reference(2, 6), reference(2, 7)] },
        ...shape(7, 'Once'),
      ],
    })
    expect((await read(loop)).text).toBe('Once')
  })

  test('a table that names the farthest row is not filled up to it', async () => {
    const far = table(30).map((object) =>
      object.id === 31
        ? {
            ...object,
            fields: [
              [
                4,
                message([3, message([1, message([1, 2 ** 40], reference(2, 32))], [2, 2 ** 40])], reference(4, 33)),
              ] as const,
            ],
          }
        : object,
    )
    expect(await failureOf(read(iworkFile({ Document: [{ id: 1, type: 10_000, fields: [] }, ...far] })))).toBe('read')
  })
})

describe('Snappy', () => {
  test('gives back literals and copies, also those that overlap themselves', () => {
    const text = Buffer.from('x'.repeat(200))
    expect(unsnap(snap(text), 200).equals(text)).toBe(true)
    // A literal of two bytes, then nine and sixty bytes from two before.
    const packed = Buffer.from([71, 0x04, 0x61, 0x62, 0x15, 0x02, 0xee, 0x02, 0x00])
    expect(unsnap(packed, 100).toString()).toBe('ab'.repeat(36).slice(0, 71))
  })

  test('says damaged of what reaches outside, and too complex of what says that it is larger than allowed', () => {
    expect(failureOfAction(() => unsnap(Buffer.from([4, 0x05, 0x09]), 100))).toBe('damaged')
    expect(failureOfAction(() => unsnap(Buffer.from([9, 0x00, 0x61]), 100))).toBe('damaged')
    expect(failureOfAction(() => unsnap(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), 100))).toBe('too_complex')
  })
})
