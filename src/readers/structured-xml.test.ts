import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { failureOf } from '#test/support/documents/read-office.ts'
import { readFile } from './readers.ts'

const limits = { textMax: 1_000_000, pagesMax: 1_000, unpackedBytesMax: 1_000_000 }

function read(text: string, name: string) {
  return readFile({ bytes: Buffer.from(text), name, reader: 'auto', limits })
}

const base64 = Buffer.from('not text'.repeat(1_000)).toString('base64')

describe('FictionBook', () => {
  const book = `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">
    <description><title-info><author><last-name>Private</last-name></author><book-title>The Book</book-title>
    <annotation><p>What it is about.</p></annotation></title-info></description>
    <body><section><title><p>One</p></title><p>First <emphasis>words</emphasis>.</p>
    <section><title><p>Within</p></title><poem><stanza><v>a verse</v><v>another</v></stanza></poem></section></section></body>
    <binary id="p" content-type="image/png">${base64}</binary></FictionBook>`

  test('is read by its sections; what it carries in base64 and says about itself is left out', async () => {
    const { text, title, mediaType, headings } = await read(book, 'a.fb2')
    expect(text).toBe('# The Book\n\nWhat it is about.\n\n## One\n\nFirst words.\n\n### Within\n\na verse\n\nanother')
    expect([title, mediaType]).toEqual(['The Book', 'application/x-fictionbook+xml'])
    expect(headings.map((heading) => heading.title)).toEqual(['The Book', 'One', 'Within'])
  })

  test('cut off anywhere is refused or read, and never breaks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(book.length), async (end) => {
        expect(['damaged', 'no_text', 'too_complex', 'read']).toContain(
          await failureOf(read(book.slice(0, end), 'a.fb2')),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('nested without end is too complex', async () => {
    const deep = `<FictionBook>${'<section>'.repeat(50_000)}x`
    expect(await failureOf(read(deep, 'a.fb2'))).toBe('too_complex')
  })
})

test('DocBook: chapters, lists in lists, code, tables and footnotes', async () => {
  const { text, mediaType } = await read(
    `<?xml version="1.0"?><!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x.dtd"><book><bookinfo><title>Guide</title><author>A</author></bookinfo>
     <chapter><title>Start</title><para>Text<footnote><para>A note.</para></footnote> goes on with <code>x = 1</code>.</para>
     <orderedlist><listitem><para>one</para><itemizedlist><listitem><para>inner</para></listitem></itemizedlist></listitem><listitem><para>two</para></listitem></orderedlist>
     <programlisting>a\n  b</programlisting><informaltable><tgroup><thead><row><entry>h</entry><entry>i</entry></row></thead><tbody><row><entry>1</entry><entry>2</entry></row></tbody></tgroup></informaltable>
     </chapter></book>`,
    'a.xml',
  )
  expect(mediaType).toBe('application/docbook+xml')
  expect(text).toBe(
    '# Guide\n\n## Start\n\nText (A note.) goes on with x = 1.\n\n1. one\n  - inner\n2. two\n\na\n  b\n\n| h | i |\n| --- | --- |\n| 1 | 2 |',
  )
})

test('JATS: title, abstract, sections, tables and references; data about the journal is left out', async () => {
  const { text, mediaType } = await read(
    `<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.2//EN" "x.dtd"><article article-type="research-article"><front><journal-meta><journal-title>J</journal-title></journal-meta>
     <article-meta><article-id>10.1/2</article-id><title-group><article-title>A finding</article-title></title-group><contrib-group>Names</contrib-group><abstract><p>In short.</p></abstract></article-meta></front>
     <body><sec><title>Methods</title><p>We did <xref>1</xref>.</p><table-wrap><label>Table 1</label><table><tr><th>a</th></tr><tr><td>b</td></tr></table></table-wrap></sec></body>
     <back><ref-list><title>References</title><ref><mixed-citation>Somewhere, 2001.</mixed-citation></ref></ref-list></back></article>`,
    'a.xml',
  )
  expect(mediaType).toBe('application/jats+xml')
  expect(text).toBe(
    '# A finding\n\nIn short.\n\n## Methods\n\nWe did 1.\n\nTable 1\n\n| a |\n| --- |\n| b |\n\n## References\n\n- Somewhere, 2001.',
  )
})

test('OPML: outlines as nested lists with their notes', async () => {
  const { text, title } = await read(
    '<?xml version="1.0"?><opml version="2.0"><head><title>Plan</title></head><body><outline text="A"><outline text="B" _note="why"/></outline></body></opml>',
    'a.opml',
  )
  expect([text, title]).toEqual(['# Plan\n\n- A\n  - B\n    why', 'Plan'])
})

test('other XML stays source code', async () => {
  expect((await read('<?xml version="1.0"?><article><x/>text</article>', 'a.xml')).mediaType).toBe('application/xml')
})

describe('notebooks', () => {
  const notebook = {
    nbformat: 4,
    metadata: {},
    cells: [
      { cell_type: 'markdown', source: ['# Study\n', 'Words.'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'display_data', data: { 'image/png': base64, 'text/plain': '<Figure size 1x1>' } },
          { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['long'] },
        ],
      },
    ],
  }

  test('are text, code and results; pictures in base64 are left out with a warning', async () => {
    const { text, title, code, warnings } = await read(JSON.stringify(notebook), 'a.ipynb')
    expect(text).toBe('# Study\nWords.\n\nprint(1)\n\n1\n\nValueError: bad')
    expect([title, code.length, warnings]).toEqual(['Study', 3, ['Pictures among the results were left out.']])
  })

  test('are found by content; other JSON with that reader is refused', async () => {
    expect((await read(JSON.stringify(notebook), 'x')).mediaType).toBe('application/x-ipynb+json')
    const other = readFile({ bytes: Buffer.from('{"a": 1}'), name: 'x', reader: 'notebook', limits })
    expect(await failureOf(other)).toBe('damaged')
  })

  test('with nonsense in every place are read', async () => {
    for (const wrong of [null, 1, 'x', [], {}]) {
      const cells = [
        { cell_type: 'markdown', source: 'x' },
        wrong,
        { source: wrong, outputs: [wrong, { data: wrong }] },
      ]
      expect((await read(JSON.stringify({ nbformat: 4, cells }), 'a.ipynb')).text).toStartWith('x')
    }
  })
})

describe('subtitles', () => {
  test('are one page for each minute, named after its first words’ time, without tags and repeated lines', async () => {
    const cues = `1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nthere\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nagain\r\n\r\n3\r\n00:00:04,000 --> 00:00:05,000\r\nagain\r\n\r\n4\r\n01:02:03,000 --> 01:02:04,000\r\n{\\an8}Late.\r\n`
    const { text, pages } = await read(cues, 'a.srt')
    expect(text).toBe('Hello there again\n\nLate.')
    expect(pages.map(({ start, label }) => [start, label])).toEqual([
      [0, '00:00:01'],
      [19, '01:02:03'],
    ])
  })

  test('WebVTT: speakers are kept, settings and notes are not', async () => {
    const { text, mediaType } = await read(
      'WEBVTT\n\nNOTE internal\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Anna>Hi &amp; bye\n',
      'x',
    )
    expect([text, mediaType]).toEqual(['Anna: Hi & bye', 'text/vtt'])
  })
})
