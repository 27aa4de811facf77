/** Each cell of the table of what surrounds a text, for the formats that tests can write. */
import { describe, expect, test } from 'bun:test'
import { docx, openDocumentFile, pptx, xlsx } from '#test/support/documents/office-files.ts'
import { pdfWithAnnotations } from '#test/support/documents/pdf-writer.ts'
import { formatRows, surroundings, type SurroundingFormat } from './formats.ts'
import { readerNames, readFile } from './readers.ts'

const limits = { textMax: 100_000, pagesMax: 100, unpackedBytesMax: 10_000_000 }
const textOf = async (bytes: Uint8Array): Promise<string> =>
  (await readFile({ bytes, name: 'file', reader: 'auto', limits })).text

const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`
const p = (content: string): string => `<w:p>${content}</w:p>`
const cache = (...values: string[]): string =>
  `<c:strCache>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:strCache>`
const chart = `<c:chartSpace><c:chart><c:plotArea><c:ser><c:tx>${cache('Sales')}</c:tx><c:cat>${cache('2024')}</c:cat><c:val>${cache('10')}</c:val></c:ser></c:plotArea></c:chart></c:chartSpace>`
const newChart =
  '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Won</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl><cx:pt idx="0">7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:v>Deals</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
const mathMl = '<math><semantics><mrow>E</mrow><annotation>E = m c^2</annotation></semantics></math>'
const odfChart =
  '<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Growth</text:p></chart:title><table:table table:name="local-table"><table:table-header-rows><table:table-row><table:table-cell><text:p/></table:table-cell><table:table-cell><text:p>Sales</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-rows><table:table-row><table:table-cell><text:p>2024</text:p></table:table-cell><table:table-cell><text:p>10</text:p></table:table-cell></table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>'
const odfComment =
  '<office:annotation><dc:creator>Anna</dc:creator><dc:date>2024-01-01</dc:date><text:p>Why?</text:p></office:annotation>'
const odfObject = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
const odfMaster = (edge: string): string =>
  `<office:document-styles xmlns:office="o"><office:master-styles><style:master-page>${edge}</style:master-page></office:master-styles></office:document-styles>`
const odfHead = odfMaster(
  '<style:header><text:p>Annual report</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>',
)

const docxOf = (body: string, parts: Record<string, string> = {}): Uint8Array => docx(p(run('Text')) + body, parts)
const pptxShape = (placeholder: string, text: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === '' ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const slide = (shapes: string, parts: Record<string, string> = {}, relations: string[] = []): Uint8Array =>
  pptx([{ shapes: pptxShape('title', 'Text') + shapes, relations }], parts)
const row = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Text</t></is></c></row></sheetData>'
/** A workbook whose sheet leads to other parts. */
const sheet = (parts: Record<string, string>, after = ''): Uint8Array => xlsx({ S: row + after }, {}, parts)
const odt = (body: string, parts: Record<string, string> = {}): Uint8Array =>
  openDocumentFile('text', `<text:p>Text</text:p>${body}`, { parts })
const table = (content: string): string =>
  `<table:table table:name="S">${content}<table:table-row><table:table-cell><text:p>Text</text:p></table:table-cell></table:table-row></table:table>`
const ods = (content: string, parts: Record<string, string> = {}, styles = ''): Uint8Array =>
  openDocumentFile('spreadsheet', content, { parts, styles })
const odp = (content: string, parts: Record<string, string> = {}, before = ''): Uint8Array =>
  openDocumentFile(
    'presentation',
    `${before}<draw:page><draw:frame><draw:text-box><text:p>Text</text:p></draw:text-box></draw:frame>${content}</draw:page>`,
    { parts },
  )

const drawing = (content: string): Record<string, string> => ({
  'drawing xl/drawings/d.xml': `<xdr:wsDr>${content}</xdr:wsDr>`,
})

/** A file that has it, and what has to be in its text; not in it when it is left out. */
interface Sample {
  readonly bytes: Uint8Array
  readonly text: string
}

const samples: Readonly<Record<string, Partial<Record<SurroundingFormat, Sample>>>> = {
  comments: {
    docx: {
      bytes: docxOf(p(`${run('said')}<w:r><w:commentReference w:id="4"/></w:r>`) + p(run('after')), {
        comments: `<w:comments xmlns:w="w"><w:comment w:id="4" w:author="Anna">${p(run('Why?'))}</w:comment></w:comments>`,
      }),
      text: 'said\n\n(Comment by Anna: Why?)\n\nafter',
    },
    pptx: {
      bytes: pptx(
        [
          {
            shapes: pptxShape('title', 'Text'),
            relations: ['comments ../comments/old.xml', 'comments ../comments/new.xml'],
          },
        ],
        {
          'ppt/comments/old.xml': '<p:cmLst><p:cm authorId="0"><p:text>Old</p:text></p:cm></p:cmLst>',
          'ppt/comments/new.xml':
            '<p188:cmLst><p188:cm authorId="{1}"><p188:replyLst><p188:reply authorId="{1}"><p188:txBody><a:p><a:r><a:t>So.</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Why?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
        },
        { 'authors authors.xml': '<p188:authorLst><p188:author id="{1}" name="Anna"/></p188:authorLst>' },
      ),
      text: '(Comment: Old)\n\n(Comment by Anna: Why?)\n\n(Comment by Anna: So.)',
    },
    xlsx: {
      bytes: sheet({
        'comments xl/c.xml':
          '<comments><authors><author>Anna</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Anna:</t></r><r><t>Why?</t></r></text></comment><comment ref="B2" authorId="0"><text><t>[Threaded comment]</t></text></comment></commentList></comments>',
        'threadedComment xl/t.xml':
          '<ThreadedComments><threadedComment ref="B2" personId="{1}"><text>So?</text></threadedComment></ThreadedComments>',
      }),
      text: '(Comment on B2: So?)\n\n(Comment on A1 by Anna: Why?)',
    },
    odt: { bytes: odt(`<text:p>said${odfComment}</text:p>`), text: 'said\n\n(Comment by Anna: Why?)' },
    ods: {
      bytes: ods(
        table(
          `<table:table-row><table:table-cell table:number-columns-repeated="27"/><table:table-cell>${odfComment}<text:p>x</text:p></table:table-cell></table:table-row>`,
        ),
      ),
      text: '(Comment on AB1 by Anna: Why?)',
    },
    odp: { bytes: odp(odfComment), text: 'Text\n\n(Comment by Anna: Why?)' },
    rtf: {
      bytes: Buffer.from('{\\rtf1 said{\\*\\atnauthor Anna}{\\*\\annotation Why?}\\par}'),
      text: 'said\n\n(Comment by Anna: Why?)',
    },
    pdf: {
      bytes: pdfWithAnnotations(['/Subtype/Text/T(Anna)/Contents(Why?)', '/Subtype/Link/Contents(link)']),
      text: 'Text\n\n(Comment by Anna: Why?)',
    },
  },
  'text boxes': {
    docx: {
      bytes: docxOf(p(`<w:r><w:pict><w:txbxContent>${p(run('boxed'))}</w:txbxContent></w:pict></w:r>`)),
      text: 'boxed',
    },
    pptx: { bytes: slide(pptxShape('', 'boxed')), text: 'boxed' },
    xlsx: {
      bytes: sheet(drawing('<xdr:sp><xdr:txBody><a:p><a:r><a:t>boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp>')),
      text: 'Text\n\nboxed',
    },
    odt: {
      bytes: odt('<text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>'),
      text: 'boxed',
    },
    ods: {
      bytes: ods(table('<table:shapes><draw:custom-shape><text:p>boxed</text:p></draw:custom-shape></table:shapes>')),
      text: 'Text\n\nboxed',
    },
    odp: { bytes: odp('<draw:custom-shape><text:p>boxed</text:p></draw:custom-shape>'), text: 'boxed' },
    pdf: { bytes: pdfWithAnnotations(['/Subtype/FreeText/Contents(boxed)']), text: 'Text\n\nboxed' },
  },
  'heads and feet of pages': {
    docx: {
      bytes: docxOf('', {
        header: `<w:hdr xmlns:w="w">${p(run('Annual report'))}</w:hdr>`,
        footer: `<w:ftr xmlns:w="w">${p(`${run('Page ')}<w:fldSimple w:instr="PAGE">${run('7')}</w:fldSimple>`)}</w:ftr>`,
      }),
      text: 'Text\n\n(Page header: Annual report)',
    },
    pptx: {
      bytes: pptx([
        { shapes: pptxShape('title', 'Text') + pptxShape('ftr', 'Annual report') },
        { shapes: pptxShape('title', 'Second') + pptxShape('ftr', 'Annual report') },
      ]),
      text: '# Text\n\n(Page footer: Annual report)\n\n# Second',
    },
    xlsx: {
      bytes: sheet(
        {},
        '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Annual report&amp;R&amp;D</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter></headerFooter>',
      ),
      text: 'Text\n\n(Page header: Annual report)',
    },
    odt: { bytes: odt('', { 'styles.xml': odfHead }), text: 'Text\n\n(Page header: Annual report)' },
    ods: { bytes: ods(table(''), { 'styles.xml': odfHead }), text: 'Text\n\n(Page header: Annual report)' },
    odp: {
      bytes: odp('', {}, '<presentation:footer-decl>Annual report</presentation:footer-decl>'),
      text: 'Text\n\n(Page footer: Annual report)',
    },
  },
  'hidden sheets and slides': {
    ods: {
      bytes: ods(
        table('').replace('table:name="S"', 'table:name="S" table:style-name="H"'),
        {},
        '<style:style style:name="H"><style:table-properties table:display="false"/></style:style>',
      ),
      text: '# S\n\n(This sheet is hidden in the workbook.)\n\nText',
    },
  },
  'data of charts': {
    docx: {
      bytes: docxOf(p('<w:r><w:drawing><a:graphicData><c:chart r:id="rId1"/></a:graphicData></w:drawing></w:r>'), {
        chart,
      }),
      text: '|  | Sales |\n| --- | --- |\n| 2024 | 10 |',
    },
    pptx: {
      bytes: slide(
        '<p:graphicFrame><a:graphic><a:graphicData><cx:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>',
        { 'ppt/charts/c.xml': newChart },
        ['chartEx ../charts/c.xml'],
      ),
      text: '|  | Deals |\n| --- | --- |\n| Won | 7 |',
    },
    xlsx: {
      bytes: sheet({
        ...drawing('<xdr:graphicFrame><a:graphicData><c:chart r:id="rId1"/></a:graphicData></xdr:graphicFrame>'),
        'xl/drawings/d.xml chart xl/charts/c.xml': chart,
      }),
      text: '|  | Sales |\n| --- | --- |\n| 2024 | 10 |',
    },
    odt: {
      bytes: odt(`<text:p>${odfObject}</text:p>`, { 'Object 1/content.xml': odfChart }),
      text: 'Growth\n\n|  | Sales |\n| --- | --- |\n| 2024 | 10 |',
    },
    ods: {
      bytes: ods(table(`<table:shapes>${odfObject}</table:shapes>`), { 'Object 1/content.xml': odfChart }),
      text: '| 2024 | 10 |',
    },
    odp: { bytes: odp(odfObject, { 'Object 1/content.xml': odfChart }), text: '| 2024 | 10 |' },
  },
  'alternative texts of pictures': {
    docx: { bytes: docxOf(p('<w:r><w:drawing><wp:docPr descr="A red barn"/></w:drawing></w:r>')), text: 'A red barn' },
    pptx: { bytes: slide('<p:pic><p:nvPicPr><p:cNvPr descr="A red barn"/></p:nvPicPr></p:pic>'), text: 'A red barn' },
    xlsx: { bytes: sheet(drawing('<xdr:pic><xdr:cNvPr descr="A red barn"/></xdr:pic>')), text: 'Text\n\nA red barn' },
    odt: {
      bytes: odt('<text:p><draw:frame><draw:image/><svg:desc>A red barn</svg:desc></draw:frame></text:p>'),
      text: 'A red barn',
    },
    ods: {
      bytes: ods(table('<table:shapes><draw:frame><svg:desc>A red barn</svg:desc></draw:frame></table:shapes>')),
      text: 'A red barn',
    },
    odp: { bytes: odp('<draw:frame><draw:image/><svg:desc>A red barn</svg:desc></draw:frame>'), text: 'A red barn' },
  },
  formulas: {
    docx: {
      bytes: docxOf(
        p(
          '<m:oMath><m:rad><m:e><m:r><m:t>x+1</m:t></m:r></m:e></m:rad><m:d><m:e><m:r><m:t>y</m:t></m:r></m:e></m:d></m:oMath>',
        ),
      ),
      text: '√(x+1)(y)',
    },
    odt: {
      bytes: odt(`<text:p>so ${odfObject}</text:p>`, { 'Object 1/content.xml': mathMl }),
      text: 'so E = m c^2',
    },
    odp: { bytes: odp(odfObject, { 'Object 1/content.xml': mathMl }), text: 'E = m c^2' },
  },
}

test('each reader is in the table of formats', () => {
  const named = new Set(formatRows.flatMap(({ readers }) => readers))
  expect(readerNames.filter((name) => name !== 'auto' && !named.has(name))).toEqual([])
})

describe('what surrounds a text', () => {
  for (const [what, formats] of Object.entries(samples)) {
    const treatments = surroundings.find((each) => each.what === what)?.treatments
    for (const [format, sample] of Object.entries(formats)) {
      test(`${what} of ${format} are as the table says`, async () => {
        const treatment = treatments?.[format as SurroundingFormat]
        expect(['kept', 'marked', 'left out']).toContain(treatment ?? '')
        const text = await textOf(sample.bytes)
        if (treatment === 'left out') expect(text).not.toContain(sample.text)
        else expect(text).toContain(sample.text)
        expect(text).not.toContain('Page 7')
      })
    }
  }
})
