import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { officePackage, pptx } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { pptxReader } from './pptx.ts'

const p = (text: string, properties = ''): string =>
  `<a:p>${properties}<a:r><a:rPr lang="en"/><a:t>${text}</a:t></a:r></a:p>`
const shape = (placeholder: string | null, ...paragraphs: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name=""/><p:nvPr>${placeholder === null ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>${paragraphs.join('')}</p:txBody></p:sp>`
const title = (text: string): string => shape('title', p(text))
const frame = (data: string): string =>
  `<p:graphicFrame><a:graphic><a:graphicData>${data}</a:graphicData></a:graphic></p:graphicFrame>`
const textOf = async (shapes: string): Promise<string> => (await readBytes(pptxReader, pptx([{ shapes }]))).text

describe('slides', () => {
  test('are pages in the order in which they are shown, with their titles first', async () => {
    const { text, pages, headings } = await readBytes(
      pptxReader,
      pptx([{ shapes: shape(null, p('text')) + title('First') }, { shapes: title('Second') }]),
    )
    expect(text).toBe('# First\n\ntext\n\n# Second')
    expect(pages.map(({ number, start }) => [number, start])).toEqual([
      [1, 0],
      [2, text.indexOf('# Second')],
    ])
    expect(headings.map((heading) => heading.title)).toEqual(['First', 'Second'])
  })

  test('that are hidden say so, and notes of the speaker follow', async () => {
    const notes = shape('sldImg', p('no')) + shape('body', p('Say this.'), p('And this.')) + shape('sldNum', p('7'))
    const { text } = await readBytes(pptxReader, pptx([{ shapes: title('A'), notes, hidden: true }]))
    expect(text).toBe('# A\n\n(This slide is hidden in the presentation.)\n\nSpeaker notes: Say this.\nAnd this.')
  })

  test('leave out number and the date of today, but not a date that was typed; a footer comes once', async () => {
    const field = '<a:p><a:fld type="datetime"><a:t>1.1.2026</a:t></a:fld></a:p>'
    expect(
      await textOf(
        title('A') +
          shape('ftr', p('footer')) +
          shape('sldNum', p('1')) +
          shape('dt', field) +
          shape('dt', p('May 2020')),
      ),
    ).toBe('# A\n\nMay 2020\n\n(Page footer: footer)')
  })

  test('that the file does not hold are damage', async () => {
    const bytes = officePackage({
      main: 'ppt/presentation.xml',
      parts: {
        'ppt/presentation.xml':
          '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
      },
      relations: { 'ppt/presentation.xml': ['slide slides/missing.xml'] },
    })
    expect(await failureOfReading(pptxReader, bytes)).toBe('damaged')
  })

  test('beyond the limit on pages are refused', async () => {
    const slides = Array.from({ length: 4 }, () => ({ shapes: title('x') }))
    expect(await failureOfReading(pptxReader, pptx(slides), { pagesMax: 4 })).toBe('read')
    expect(await failureOfReading(pptxReader, pptx(slides), { pagesMax: 3 })).toBe('too_complex')
  })
})

describe('shapes', () => {
  test('the body of a slide is a list, unless it says that it has no bullets or is one paragraph', async () => {
    expect(await textOf(shape('body', p('a'), p('b', '<a:pPr lvl="1"/>'), p('c', '<a:pPr><a:buNone/></a:pPr>')))).toBe(
      '- a\n  - b\n\nc',
    )
    expect(await textOf(shape('body', p('alone')))).toBe('alone')
  })

  test('other shapes have bullets and numbers where they say so', async () => {
    const numbered = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'
    expect(
      await textOf(
        shape(null, p('a', numbered), p('b', numbered), p('c', '<a:pPr><a:buChar char="•"/></a:pPr>'), p('d')),
      ),
    ).toBe('1. a\n2. b\n- c\n\nd')
  })

  test('groups are looked into; line breaks are kept', async () => {
    expect(
      await textOf(
        `<p:grpSp>${shape(null, '<a:p><a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p>')}</p:grpSp>`,
      ),
    ).toBe('a\nb')
  })

  test('tables keep merged cells', async () => {
    const tc = (text: string, attributes = ''): string => `<a:tc ${attributes}><a:txBody>${p(text)}</a:txBody></a:tc>`
    const rows = [
      [tc('a', 'gridSpan="2"'), tc('', 'hMerge="1"')],
      [tc('b', 'rowSpan="2"'), tc('c')],
      [tc('', 'vMerge="1"'), tc('d')],
    ]
    expect(await textOf(frame(`<a:tbl>${rows.map((row) => `<a:tr>${row.join('')}</a:tr>`).join('')}</a:tbl>`))).toBe(
      '| a |  |\n| --- | --- |\n| b | c |\n| b | d |',
    )
  })

  test('charts become tables of what they show, diagrams lists of their words', async () => {
    const cache = (...values: string[]): string =>
      `<c:strCache>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:strCache>`
    const series = `<c:ser><c:tx>${cache('Sales')}</c:tx><c:cat>${cache('2023', '2024')}</c:cat><c:val>${cache('10', '20')}</c:val></c:ser>`
    const bytes = pptx(
      [
        {
          shapes: frame('<c:chart r:id="rId1"/>') + frame('<dgm:relIds r:dm="rId2"/>'),
          relations: ['chart ../charts/c.xml', 'diagramData ../diagrams/d.xml'],
        },
      ],
      {
        'ppt/charts/c.xml': `<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Growth</a:t></a:r></a:p></c:title><c:plotArea>${series}</c:plotArea></c:chart></c:chartSpace>`,
        'ppt/diagrams/d.xml':
          '<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Do</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>',
      },
    )
    expect((await readBytes(pptxReader, bytes)).text).toBe(
      'Growth\n\n|  | Sales |\n| --- | --- |\n| 2023 | 10 |\n| 2024 | 20 |\n\n- Plan\n- Do',
    )
  })

  test('pictures are counted in a warning', async () => {
    const { warnings } = await readBytes(pptxReader, pptx([{ shapes: `${title('x')}<p:pic/><p:pic/>` }]))
    expect(warnings).toEqual(['2 pictures were left out: only the text was read.'])
  })
})

const corpus = join(import.meta.dir, '../../../../shared/corpus')

describe.skipIf(!existsSync(corpus))('real presentations', () => {
  test('slides, tables, lists and notes are read', async () => {
    const { text, pages, tables } = await readBytes(
      pptxReader,
      readFileSync(join(corpus, 'office/powerpoint_sample.pptx')),
    )
    expect(pages).toHaveLength(3)
    expect(tables).toHaveLength(1)
    expect(text).toContain('# Second slide title')
    expect(text).toContain('Speaker notes: Some notes on the second slide.')
  })

  test('a placeholder without a place does not stop the reading', async () => {
    const { text } = await readBytes(pptxReader, readFileSync(join(corpus, 'weird/fake-power-point-malformed.pptx')))
    expect(text).toBe('# Test Slide\n\nProblem Date Placeholder')
  })
})
