import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { htmlReader } from './html.ts'
import { ReadFailure, type ReadLimits, type Reading } from '../reading.ts'

const limits: ReadLimits = { textMax: 20_000_000, pagesMax: 1_000, unpackedBytesMax: 1 }
function read(html: string): Promise<Reading> {
  return htmlReader.read({ bytes: Buffer.from(html), name: 'a.html', mediaType: 'text/html', limits })
}
async function textOf(html: string): Promise<string> {
  return (await read(html)).text
}

describe('a page becomes', () => {
  test('paragraphs, whose spaces and line ends are those that a browser shows', async () => {
    expect(await textOf('<p>one\n  two<br>three</p>four<div>fi<b>v</b>e &amp; &#x1f600;</div>')).toBe(
      'one two\nthree\n\nfour\n\nfive & 😀',
    )
  })

  test('headings with their level, and a title', async () => {
    const reading = await read('<title>My &lt;page&gt;</title><h1>First</h1>text<h3>Third <i>one</i></h3>')
    expect(reading.title).toBe('My <page>')
    expect(reading.headings.map(({ level, title }) => [level, title])).toEqual([
      [1, 'First'],
      [3, 'Third one'],
    ])
  })

  test('lists, nested and numbered, also without end tags', async () => {
    expect(await textOf('<ul><li>a<ol start=3><li>b<li value=7>c</ol><li>d</ul>')).toBe('- a\n  3. b\n  7. c\n- d')
  })

  test('code, line by line', async () => {
    const reading = await read('<p>x<pre><code>if (a) {\n  b &lt; c\n}</code></pre>')
    expect(reading.code.map(({ start, end }) => reading.text.slice(start, end))).toEqual(['if (a) {\n  b < c\n}'])
  })

  test('tables of data, with cells over several rows repeated and those over several columns filled', async () => {
    const html = `<table><caption>C</caption><thead><tr><th>a<th>b<th>c</thead>
    <tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td colspan="2">4</td></tr></table>`
    expect(await textOf(html)).toBe('C\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 |  |')
  })

  test('running text where a table only serves the layout', async () => {
    const html =
      '<table><tr><td><h2>T</h2><p>a</p></td><td><table><tr><th>h<th>i<tr><td>1<td>2</table></td></tr></table>'
    const reading = await read(html)
    expect(reading.text).toBe('## T\n\na\n\n| h | i |\n| --- | --- |\n| 1 | 2 |')
    expect(reading.tables).toHaveLength(1)
  })

  test('a line where a row of a layout holds a name and its value', async () => {
    expect(await textOf('<table><tr><td>Name<td>Ann</tr><tr><td colspan=2><pre>x</pre></table>')).toBe(
      'Name | Ann\n\nx',
    )
  })
})

test('what surrounds the content of a page or is hidden is left out', async () => {
  const html = `<head><style>p{}</style><script>if (a < b) "</p>"</script></head><body>
  <nav><ul><li>Home</ul></nav><header><ul><li>Menu</li></ul><h1>Title</h1></header>
  <p hidden>x</p><div style="display: none"><div>y</div></div><span aria-hidden="true">z</span><div role="navigation">n</div>
  <main><p>Text <img alt="of a picture" src="x"></p><footer>Author</footer></main>
  <svg><title>icon</title><text>s</text></svg><button>Buy</button><noscript>ns</noscript><template>t</template>
  <footer>Imprint</footer></body>`
  // A paragraph may lack its end tag, so hiding it would hide what follows.
  expect(await textOf(html)).toBe('# Title\n\nx\n\nText of a picture\n\nAuthor')
})

test('XHTML may close any element at once', async () => {
  const html = '<?xml version="1.0"?><html><head><title/><script src="a"/></head><body><div/><p>text</p></body></html>'
  expect(await textOf(html)).toBe('text')
})

describe('a hostile page is read in one pass', () => {
  test.each<[string, string, number]>([
    ['200,000 nested blocks', `${'<div>'.repeat(200_000)}x${'</div>'.repeat(200_000)}`, 1],
    ['20,000 nested quotes', `${'<blockquote>'.repeat(20_000)}x`, 1],
    ['20,000 nested tables', `${'<table><tr><td>'.repeat(20_000)}x`, 1],
    ['20,000 nested tables that end', `${'<table><tr><td>'.repeat(20_000)}x${'</table>'.repeat(20_000)}`, 1],
    ['20,000 nested hidden blocks', `${'<div hidden>'.repeat(20_000)}${'</div>'.repeat(20_000)}x`, 1],
    ['200 KB of one letter', 'a'.repeat(200_000), 200_000],
    ['a megabyte of opening brackets', '<'.repeat(1_000_000), 1_000_000],
    ['end tags that nothing opened', `${'</p></table></li></ul></td>'.repeat(20_000)}x`, 1],
  ])('%s', async (_, html, length) => {
    expect((await textOf(html)).length).toBe(length)
  })

  test('with lists in lists, each is as deep as can be shown', async () => {
    expect(await textOf('<ul><li>a'.repeat(20_000))).toStartWith('- a\n  - a\n    - a')
  })

  test('with spans over everything, within the limit on text', async () => {
    const reading = read(`<table>${'<tr><td rowspan=9999 colspan=9999>a<td>b'.repeat(10_000)}</table>`)
    expect(
      await reading.then(
        () => 'read',
        (thrown: unknown) => (thrown as ReadFailure).code,
      ),
    ).toBe('too_complex')
  })
})

test('any markup gives a reading or says that it holds no text', async () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '</',
    '/>',
    '<p',
    '<table>',
    '<tr>',
    '<td>',
    '</table>',
    '<li>',
    '<ul>',
    '</ul>',
    '<pre>',
    '<h1>',
    '</h1>',
    '<!--',
    '-->',
    '<title>',
    '</title>',
    '<nav>',
    '</nav>',
    '&',
    '&#0;',
    '&#xd800;',
    'a',
    ' ',
    '\n',
    '"',
    '=',
    '<script>',
    '</script>',
    '\0',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const result = await read(pieces.join('')).catch((thrown: unknown) => thrown)
      if (result instanceof Error) expect(result).toMatchObject({ code: 'no_text' })
      else {
        const { text } = result as Reading
        expect(text.isWellFormed() && !text.includes('\0')).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

const sample = '../shared/corpus/html/tel_aviv_hebrew.html'
test.skipIf(!existsSync(sample))(
  'an encyclopedia’s page keeps its headings and tables (needs the shared corpus)',
  async () => {
    const reading = await htmlReader.read({ bytes: readFileSync(sample), name: '', mediaType: 'text/html', limits })
    expect(reading.headings.length).toBeGreaterThan(40)
    expect(reading.tables.length).toBeGreaterThan(5)
    expect(reading.text).toContain('| שנה | סה"כ תושבים | יהודים |')
    expect(reading.text).not.toContain('Afrikaans')
  },
)
