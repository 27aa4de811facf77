import { describe, expect, test } from 'bun:test'
import { ReadFailure, type ReadLimits, type Reading } from './reading.ts'
import { readerNames, readFile } from './readers.ts'

const limits: ReadLimits = { textMax: 5_000_000, pagesMax: 100, unpackedBytesMax: 1_000_000 }
function read(content: string | Uint8Array, name = '', reader = 'auto'): Promise<Reading> {
  return readFile({ bytes: Buffer.from(content), name, reader, limits })
}
function codeOf(reading: Promise<Reading>): Promise<string> {
  return reading.then(
    () => 'read',
    (thrown: unknown) => (thrown instanceof ReadFailure ? thrown.code : String(thrown)),
  )
}

function slices({ text }: Reading, marks: readonly { readonly start: number; readonly end: number }[]): string[] {
  return marks.map(({ start, end }) => text.slice(start, end))
}

describe('plain text', () => {
  test('is kept except for runs of empty lines and invisible characters', async () => {
    expect(await read('\ufeffa\r\n\r\n\r\n\r\nb\u00adc \0\n', 'a.txt')).toMatchObject({
      text: 'a\n\nbc',
      headings: [],
      pages: [],
    })
  })

  test('has pages where it has form feeds', async () => {
    const reading = await read('one\ftwo\f\fthree', 'a.txt')
    expect(reading).toMatchObject({ text: 'one\n\ntwo\n\nthree' })
    expect(reading.pages.map(({ start, number }) => [start, number])).toEqual([
      [0, 1],
      [5, 2],
      [10, 4],
    ])
  })

  test('of 200 KB without a break is read', async () => {
    expect((await read('a'.repeat(200_000))).text.length).toBe(200_000)
  })
})

describe('Markdown', () => {
  const source = `---
title: "The title"
---
# One # \n
Two *parts*
===

\`\`\`js
# not a heading
| a | b |
| --- | --- |
\`\`\`

| h \\| i | j |
|:---|---:|
| 1 | 2 |

####### seven
#none
## [link](http://x) \`code\` snake_case ##
text
---
~~~
open
# end`

  test('is kept as it is, with marks on headings, tables and code', async () => {
    const reading = await read(source, 'a.md')
    expect(reading.text).toBe(source)
    expect(reading.title).toBe('The title')
    expect(reading.headings.map(({ level, title }) => [level, title])).toEqual([
      [1, 'One'],
      [1, 'Two parts'],
      [2, 'link code snake_case'],
    ])
    expect(slices(reading, reading.headings)[1]).toBe('Two *parts*\n===')
    expect(slices(reading, reading.tables)).toEqual(['| h \\| i | j |\n|:---|---:|\n| 1 | 2 |'])
    expect(slices(reading, reading.code)).toEqual([
      '```js\n# not a heading\n| a | b |\n| --- | --- |\n```',
      '~~~\nopen\n# end',
    ])
  })

  test('with 200,000 lines of anything is read in one pass', async () => {
    for (const line of ['# a', '|', '|-|', '```', '---', '> '.repeat(10), '[']) {
      expect((await read(`x\n${`${line}\n`.repeat(200_000)}`, 'a.md')).text.length).toBeGreaterThan(200_000)
    }
  })
})

describe('values', () => {
  const table = '| a | b |\n| --- | --- |\n| 1 | x, y |\n| 2 | q"q |'
  test.each([
    ['a.csv', 'a,b\n1,"x, y"\n2,"q""q"\n'],
    ['a.csv', 'a;b\r\n1;x, y\r\n\r\n2;q"q'],
    ['a.csv', 'sep=;\r\na;b\r\n1;x, y\r\n2;q"q'],
    ['a.tsv', 'a\tb\n1\tx, y\n2\tq"q\n'],
  ])('are one table, whatever divides them (%s %#)', async (name, content) => {
    const reading = await read(content, name)
    expect(reading.text).toBe(table)
    expect(slices(reading, reading.tables)).toEqual([table])
  })

  test('with a quote that is never closed are still read', async () => {
    expect((await read('a,b\n"1,2\n3,4\n', 'a.csv')).text).toContain('| 3 | 4 |')
  })

  test('past the limits on columns and cells are cut off with a warning', async () => {
    const reading = await read(`${'c,'.repeat(700)}\n${'x'.repeat(20_000)},y\n`, 'a.csv')
    expect(reading.warnings).toEqual([
      'Only the first 500 columns of the table were read.',
      'Cells were cut off after 10000 characters.',
    ])
  })
})

describe('JSON', () => {
  test('that is small is shown whole', async () => {
    const reading = await read('{"a":[1,{"b":null}]}', 'a.json')
    expect(JSON.parse(reading.text)).toEqual({ a: [1, { b: null }] })
    expect(reading.code).toEqual([{ start: 0, end: reading.text.length }])
  })

  test('that is large is divided, each part below its path and no value lost', async () => {
    const users = Array.from({ length: 50 }, (_, at) => ({ id: at, about: `About user ${at}. `.repeat(20) }))
    const reading = await read(JSON.stringify({ version: 7, data: { users } }), 'a.json')
    expect(reading.headings.map(({ title }) => title).slice(0, 2)).toEqual(['data', 'data.users'])
    expect(reading.text).toContain('"version": 7')
    for (const at of [0, 49]) expect(reading.text).toContain(`About user ${at}. About`)
  })

  test('lines are one block each; those that are damaged are kept with a warning', async () => {
    const reading = await read('{"a":1}\n{"a":2}\nno\n', 'a.jsonl')
    expect(slices(reading, reading.code)).toEqual(['{\n  "a": 1\n}', '{\n  "a": 2\n}', 'no'])
    expect(reading.warnings).toEqual(['1 of 3 lines are not valid JSON and were kept as they are.'])
  })

  test('that is cut off is damaged, and nesting past all sense is too complex', async () => {
    expect(await codeOf(read('{"a": ', 'a.json'))).toBe('damaged')
    for (const levels of [201, 1_000_000]) {
      expect(await codeOf(read(`${'['.repeat(levels)}${']'.repeat(levels)}`, 'a.json'))).toBe('too_complex')
    }
    expect(await codeOf(read(`${'['.repeat(200)}"[[["${']'.repeat(200)}`, 'a.json'))).toBe('read')
  })
})

test('source code keeps every line and space', async () => {
  const reading = await read('def f():\n\n\n\n    return 1\n', 'a.py')
  expect(reading.text).toBe('def f():\n\n\n\n    return 1')
  expect(reading.code).toEqual([{ start: 0, end: reading.text.length }])
})

describe('a reader that is named', () => {
  test('reads what would otherwise be read by another', async () => {
    expect((await read('<p>a</p>', 'a.html', 'text')).text).toBe('<p>a</p>')
    expect((await read('{"a":1}\n{"a":2}', 'a.txt', 'json')).mediaType).toBe('application/jsonl')
  })

  test.each(readerNames.filter((name) => name !== 'auto'))('%s says that other content is damaged', async (reader) => {
    expect(await codeOf(read(Buffer.from('\x7fELF\x01\0\0\0\0\0\0\0\xff\xfe', 'latin1'), 'a', reader))).toBe('damaged')
  })

  test.each(readerNames)('%s says that an empty file holds no text', async (reader) => {
    expect(await codeOf(read('', 'a', reader))).toBe('no_text')
  })
})

test('a picture is refused with the remedy', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  expect(await codeOf(read(png, 'a.txt'))).toBe('unsupported_type')
})
