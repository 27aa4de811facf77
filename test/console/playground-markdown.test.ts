/** How the playground reads the Markdown of models: text stays data, whatever it looks like. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { markdownBlocks, type Block, type Item } from '../../ui/src/routes/playground/answer/markdown-blocks.ts'
import { markdownPieces, type Piece } from '../../ui/src/routes/playground/answer/markdown-pieces.ts'
import { elementsOf, firstBlocks, MarkdownReader } from '../../ui/src/routes/playground/answer/markdown-reader.ts'
import { codeWords } from '../../ui/src/components/code-words.ts'
import { expectLinear, type GrowthCase } from '#test/support/growth.ts'

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })
const item = (...blocks: readonly Block[]): Item => ({ done: null, blocks })

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
        items: [item(paragraph('a'), { kind: 'list', start: 1, items: [item(paragraph('b'))] }), item(paragraph('c'))],
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
        items: [
          item(paragraph('a'), paragraph('b'), { kind: 'code', language: '', text: 'c\n  d' }),
          item(paragraph('e')),
        ],
      },
    ])
  })

  test('code whose end has not come yet is code already', () => {
    expect(markdownBlocks('```py\nprint(1)\n# no heading')).toEqual([
      { kind: 'code', language: 'py', text: 'print(1)\n# no heading' },
    ])
  })

  test('items with a box are tasks', () => {
    expect(markdownBlocks('- [ ] a\n- [x] b\n- [y] c')).toEqual([
      {
        kind: 'list',
        start: null,
        items: [
          { done: false, blocks: [paragraph('a')] },
          { done: true, blocks: [paragraph('b')] },
          item(paragraph('[y] c')),
        ],
      },
    ])
  })

  test('formulas on lines of their own end a paragraph; those in a sentence do not, nor does a price', () => {
    expect(markdownBlocks('a:\n$$\nx\ny\n$$\nb\n\\[z\\]\n\n$$ a $$ is\n$5 or $6')).toEqual([
      paragraph('a:'),
      { kind: 'math', text: 'x\ny' },
      paragraph('b'),
      { kind: 'math', text: 'z' },
      paragraph('$$ a $$ is\n$5 or $6'),
    ])
    // The end has not come yet.
    expect(markdownBlocks('$$\nx')).toEqual([{ kind: 'math', text: 'x' }])
    expect(markdownBlocks('$$\nx\n\ny')).toEqual([{ kind: 'math', text: 'x' }, paragraph('y')])
  })

  test('a table has no more columns than a reader can look at, whatever its rows hold', () => {
    const [table] = markdownBlocks(`${'|a'.repeat(5000)}\n${'|-'.repeat(5000)}\n|1\n`)
    expect(table?.kind === 'table' ? [table.header.length, table.rows[0]?.length] : table).toEqual([64, 64])
  })

  test('every text of words is read, and no word is lost', () => {
    fc.assert(
      fc.property(markedText, (source) => {
        const read = JSON.stringify(markdownBlocks(source))
        // Cells beyond the header of a table are not shown; nothing else may be missing.
        if (!source.includes('|')) for (const each of source.match(/[a-z]+/g) ?? []) expect(read).toContain(each)
      }),
    )
  })
})

const word = fc.stringMatching(/^[a-z]{1,6}$/)
const anyMark = ['- ', '1. ', '> ', '# ', '  ', '\n', '\n\n', '|', '**', '`', '---\n', '    ']
const markedText = textOf(anyMark)
const formattedText = textOf([...anyMark, '```\n', '\n$$\n', '- [ ] ', '|-|\n', '\r\n', '\\[', '$'])

function textOf(marks: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.tuple(fc.constantFrom(...marks), word), { maxLength: 40 }).map((parts) => parts.flat().join(''))
}

describe('a text that grows', () => {
  test('is read in steps as it is read at once, wherever it is cut', () => {
    fc.assert(
      fc.property(formattedText, fc.array(fc.nat(200), { maxLength: 12 }), (text, cuts) => {
        const reader = new MarkdownReader()
        for (const cut of [...cuts, text.length].toSorted((a, b) => a - b)) {
          const part = text.slice(0, cut)
          expect([part, reader.read(part)]).toEqual([part, markdownBlocks(part)])
        }
      }),
    )
  })

  test('keeps the blocks that can no longer change as the same objects; another text begins again', () => {
    const reader = new MarkdownReader()
    const first = reader.read('# a\n\nb\n\n- c\n\nd')
    const second = reader.read('# a\n\nb\n\n- c\n\nd, and more\n\ne')
    expect([second[0] === first[0], second[1] === first[1], second.length]).toEqual([true, true, 5])
    expect(reader.read('other')).toEqual([paragraph('other')])
  })

  test('makes no more than the last blocks again for each token, however long it has become', () => {
    const reader = new MarkdownReader()
    let before: readonly Block[] = []
    let text = ''
    for (let at = 0; at < 2000; at += 1) {
      text += at % 7 === 0 ? 'word\n\n' : at % 31 === 0 ? '```js\na()\n```\n' : '**bold** and '
      const blocks = reader.read(text)
      const again = blocks.filter((block, index) => block !== before[index]).length
      expect(again).toBeLessThanOrEqual(4)
      before = blocks
    }
    expect(before.length).toBeGreaterThan(100)
  })

  test('shows no more than a bounded number of elements at once, whatever a long text is made of', () => {
    const long = (unit: string): string => unit.repeat(Math.ceil(300_000 / unit.length))
    for (const unit of [
      'a\n\n',
      '- a\n',
      '[1]',
      '**a** ',
      '$x$ ',
      '> ',
      '|\n|-\n',
      '|a',
      '```\na\n```\n',
      '# a\n',
      'a ',
      '$$x$$\n',
    ]) {
      const blocks = markdownBlocks(long(unit))
      const shown = firstBlocks(blocks, 3000)
      const elements = shown.blocks.reduce((sum, block) => sum + elementsOf(block), 0)
      expect([unit, elements < 100_000, shown.isAll || shown.blocks.length > 0]).toEqual([unit, true, true])
    }
  })
})

/** Texts of a size that repeat one unit each; a unit that takes the square of the size outgrows all others together. */
function everyUnit(
  units: readonly string[],
  from: number,
  run: (text: string) => unknown,
): GrowthCase<readonly string[]> {
  return {
    from,
    make: (size) => units.map((unit) => unit.repeat(Math.ceil(size / unit.length))),
    run: (texts) => texts.map(run),
  }
}

describe('hostile text is read in linear time', () => {
  const units = {
    paragraphs: 'a\n\n',
    items: '- a\n',
    nested: '  - a\n',
    quotes: '> ',
    fences: '```\n',
    closedFences: '```\na\n```\n',
    formulas: '\\[\n',
    openFormulas: '$$a\n',
    tables: '|a|\n|-|\n',
    rows: '|',
    rules: '* ',
    hashes: ' #',
    dashes: '-',
  }
  test('blocks', () => expectLinear(everyUnit(Object.values(units), 2000, markdownBlocks)))

  const inline = {
    stars: '**a ',
    star: '*a ',
    closed: '*a* ',
    runs: '*** a',
    ticks: '`a ``b ',
    growing: '`',
    lines: '_a ',
    deleted: '~~a ',
    brackets: '[',
    links: '[a](b',
    addresses: '[a](https://b(c) ',
    sources: '[1',
    dollars: '$a ',
    parens: '\\(a',
    bare: 'https://',
    dots: 'http://.',
    exclamations: '![',
    mixed: '**a *b _c `d [e](f $g ',
  }
  test('pieces', () => expectLinear(everyUnit(Object.values(inline), 2000, (text) => markdownPieces(text, 9))))

  const code = {
    quotes: '"a ',
    escapes: '\\"',
    comments: '/* ',
    slashes: '//',
    triple: '"""',
    dashes: '--',
    names: 'a(',
    hashes: '#',
  }
  test('code', () =>
    expectLinear(
      everyUnit(Object.values(code), 500, (text) =>
        ['js', 'py', 'sql', 'html', 'diff'].map((language) => codeWords(text, language)),
      ),
    ))
})

describe('the words of code', () => {
  test('are all of the code, in every language', () => {
    const languages = [
      'ts',
      'python',
      'go',
      'sql',
      'bash',
      'json',
      'html',
      'css',
      'ruby',
      'lua',
      'java',
      'diff',
      'unknown',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...languages), fc.string({ unit: 'grapheme', maxLength: 200 }), (language, code) => {
        expect((codeWords(code, language) ?? [{ text: code }]).map(({ text }) => text).join('')).toBe(code)
      }),
    )
  })

  test('have the kinds that a reader expects', () => {
    const kinds = (code: string, language: string) =>
      (codeWords(code, language) ?? []).flatMap(({ kind, text }) => (kind === null ? [] : [[kind, text]]))
    expect(kinds('const a = f("x") // y\n1.5', 'TypeScript')).toEqual([
      ['keyword', 'const'],
      ['name', 'f'],
      ['text', '"x"'],
      ['comment', '// y'],
      ['number', '1.5'],
    ])
    expect(kinds("def f(): # no\n  return '''a\nb'''", 'py').map(([kind]) => kind)).toEqual([
      'keyword',
      'name',
      'comment',
      'keyword',
      'text',
    ])
    expect(kinds('SELECT 1 -- x', 'sql')[0]).toEqual(['keyword', 'SELECT'])
    expect(kinds('url: https://a#b', 'yaml')).toEqual([])
    expect(codeWords('x'.repeat(50_000), 'js')).toBeNull()
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

  test('are formulas between dollars without spaces, and marks that a backslash makes plain', () => {
    const kinds = (text: string) => markdownPieces(text).map((piece) => [piece.kind, 'text' in piece ? piece.text : ''])
    expect(kinds('a $x_1$ b')).toEqual([
      ['text', 'a '],
      ['math', 'x_1'],
      ['text', ' b'],
    ])
    expect(kinds('\\(a*b*c\\)')).toEqual([['math', 'a*b*c']])
    expect(kinds('$5 and $10, or $5-$6')).toEqual([['text', '$5 and $10, or $5-$6']])
    expect(texts(markdownPieces('\\*a\\* C:\\b'))).toBe('*a* C:\\b')
    expect(markdownPieces('***a*** ~~b~~').map(({ kind }) => kind)).toEqual(['strong', 'text', 'deleted'])
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
      { kind: 'text', text: ' no [3]' },
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
