/** How the playground reads the Markdown of models: text stays data, whatever it looks like. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { markdownBlocks, type Block } from '../../ui/src/routes/playground/answer/markdown-blocks.ts'
import { markdownPieces, type Piece } from '../../ui/src/routes/playground/answer/markdown-pieces.ts'

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

describe('blocks', () => {
  test('are paragraphs, headings, lists inside lists, quotes, rules, tables and code', () => {
    const text = `# Title #
one
two

- a
  1. b
- c

> q

***

| x | y |
|---|:-:|
| 1 | a \\| b |
| 2 |

\`\`\`js
let a

b
\`\`\``
    expect(markdownBlocks(text)).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      paragraph('one\ntwo'),
      {
        kind: 'list',
        start: null,
        items: [[paragraph('a'), { kind: 'list', start: 1, items: [[paragraph('b')]] }], [paragraph('c')]],
      },
      { kind: 'quote', blocks: [paragraph('q')] },
      { kind: 'rule' },
      {
        kind: 'table',
        header: ['x', 'y'],
        rows: [
          ['1', 'a | b'],
          ['2', ''],
        ],
      },
      { kind: 'code', language: 'js', text: 'let a\n\nb' },
    ])
  })

  test('an item holds paragraphs and code that are indented like its text', () => {
    expect(markdownBlocks('3. a\n\n   b\n\n   ```\n   c\n     d\n   ```\n4. e')).toEqual([
      {
        kind: 'list',
        start: 3,
        items: [[paragraph('a'), paragraph('b'), { kind: 'code', language: '', text: 'c\n  d' }], [paragraph('e')]],
      },
    ])
  })

  test('code whose end has not come yet is code already', () => {
    expect(markdownBlocks('```py\nprint(1)\n# no heading')).toEqual([
      { kind: 'code', language: 'py', text: 'print(1)\n# no heading' },
    ])
  })

  test('every text of words is read, and no word is lost', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/)
    const mark = fc.constantFrom('- ', '1. ', '> ', '# ', '  ', '\n', '\n\n', '|', '**', '`', '---\n', '    ')
    const text = fc.array(fc.tuple(mark, word), { maxLength: 40 }).map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(text, (source) => {
        const read = JSON.stringify(markdownBlocks(source))
        // Cells beyond the header of a table are not shown; nothing else may be missing.
        if (!source.includes('|')) for (const each of source.match(/[a-z]+/g) ?? []) expect(read).toContain(each)
      }),
    )
  })
})

describe('pieces', () => {
  const texts = (pieces: readonly Piece[]): string =>
    pieces
      .map((piece) => {
        if ('pieces' in piece) return texts(piece.pieces)
        return piece.kind === 'source' ? `[${piece.index}]` : piece.text
      })
      .join('')

  test('are code, emphasis and links', () => {
    expect(markdownPieces('a **b _c_** `d*e*` [f](https://g.h/i_(j)) https://k.l.')).toEqual([
      { kind: 'text', text: 'a ' },
      {
        kind: 'strong',
        pieces: [
          { kind: 'text', text: 'b ' },
          { kind: 'emphasis', pieces: [{ kind: 'text', text: 'c' }] },
        ],
      },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'd*e*' },
      { kind: 'text', text: ' ' },
      { kind: 'link', address: 'https://g.h/i_(j)', pieces: [{ kind: 'text', text: 'f' }] },
      { kind: 'text', text: ' ' },
      { kind: 'link', address: 'https://k.l', pieces: [{ kind: 'text', text: 'https://k.l' }] },
      { kind: 'text', text: '.' },
    ])
  })

  test('a link to a script, to a file or to an unknown scheme stays text', () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//evil.example',
      'JaVaScRiPt:x',
    ])
      expect(markdownPieces(`[x](${address})`).map(({ kind }) => kind)).not.toContain('link')
  })

  test('names with underscores and products are no emphasis', () => {
    expect(markdownPieces('snake_case_name 2*3*4')).toEqual([{ kind: 'text', text: 'snake_case_name 2*3*4' }])
  })

  test('a number in brackets names a source only when there is one', () => {
    expect(markdownPieces('yes [1, 2] no [3]', 2)).toEqual([
      { kind: 'text', text: 'yes ' },
      { kind: 'source', index: 1 },
      { kind: 'source', index: 2 },
      { kind: 'text', text: ' no ' },
      { kind: 'text', text: '[3]' },
    ])
  })

  test('a text without marks comes out as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w .,<>&"'()]{0,80}$/), (text) => {
        fc.pre(!text.includes('_'))
        expect(texts(markdownPieces(text))).toBe(text)
      }),
    )
  })
})
