/**
 * Writes small PDFs for tests: text at places in the standard fonts, lines, an outline, pages without text. Exact cross
 * references, so that what a test damages is all that is damaged. Source: ISO 32000-1.
 */
import { deflateSync } from 'node:zlib'

export interface PlacedText {
  readonly text: string
  readonly x: number
  /** From the foot of the page. */
  readonly y: number
  readonly size?: number
  readonly bold?: boolean
  /** Shown as it is seen, from the left; Hebrew letters are allowed. */
  readonly visual?: true
}

export interface PdfPageContent {
  readonly texts?: readonly PlacedText[]
  /** Drawn as a grey area, as a scan would be. */
  readonly hasPicture?: boolean
  /** Takes the place of all else. */
  readonly stream?: Uint8Array
}

export interface PdfContent {
  readonly pages: readonly PdfPageContent[]
  readonly title?: string
  readonly outline?: readonly { readonly title: string; readonly page: number }[]
}

const escaped = (text: string): string => text.replace(/[\\()]/g, (character) => `\\${character}`)

/** Hebrew letters are the codes from here on in a font of their own. */
const hebrewFrom = 0xc0
const alef = 0x5d0
const hebrewLetters = 27
const hebrewMap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /H def
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <7e> <0020> <${hebrewFrom.toString(16)}> <${(hebrewFrom + hebrewLetters - 1).toString(16)}> <0${alef.toString(16)}> endbfrange
endcmap end end`

const inHebrewFont = (text: string): string =>
  text.replace(/[\u05d0-\u05ea]/g, (letter) => String.fromCharCode(hebrewFrom + letter.charCodeAt(0) - alef))

const textOperators = ({ text, x, y, size = 10, bold = false, visual }: PlacedText): string =>
  `BT /${visual ? 'H' : bold ? 'B' : 'R'} ${size} Tf ${x} ${y} Td (${escaped(visual ? inHebrewFont(text) : text)}) Tj ET`

const contentOf = (page: PdfPageContent): Uint8Array => {
  if (page.stream !== undefined) return page.stream
  const picture = page.hasPicture === true ? '0.8 g 50 50 400 600 re f 0 g\n' : ''
  return Buffer.from(picture + (page.texts ?? []).map(textOperators).join('\n'), 'latin1')
}

/** Lines of text below each other in one column, `lineHeight` points apart. */
export const column = (lines: readonly string[], { x = 72, y = 700, size = 10, lineHeight = 12 } = {}): PlacedText[] =>
  lines.map((text, at) => ({ text, x, y: y - at * lineHeight, size }))

/** The file. Object 1 is the catalog, 2 the page tree, 3 to 6 the fonts, then a page and its content in turn. */
export function writePdf({ pages, title, outline = [] }: PdfContent): Uint8Array {
  const pageObject = (page: number): number => 7 + 2 * page
  const outlineAt = 7 + 2 * pages.length
  const infoAt = outlineAt + (outline.length === 0 ? 0 : outline.length + 1)
  const objects: (string | Uint8Array)[] = [
    `<</Type/Catalog/Pages 2 0 R${outline.length === 0 ? '' : `/Outlines ${outlineAt} 0 R`}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${pageObject(at)} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>',
    `<</Length ${hebrewMap.length}>>stream\n${hebrewMap}\nendstream`,
  ]
  for (const [at, page] of pages.entries()) {
    const fonts = '/Resources<</Font<</R 3 0 R/B 4 0 R/H 5 0 R>>>>'
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${pageObject(at) + 1} 0 R${fonts}>>`)
    const packed = deflateSync(contentOf(page))
    objects.push(
      Buffer.concat([
        Buffer.from(`<</Length ${packed.length}/Filter/FlateDecode>>stream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    )
  }
  if (outline.length > 0) {
    objects.push(`<</First ${outlineAt + 1} 0 R/Last ${outlineAt + outline.length} 0 R/Count ${outline.length}>>`)
    for (const [at, entry] of outline.entries()) {
      const next = at + 1 < outline.length ? `/Next ${outlineAt + at + 2} 0 R` : ''
      objects.push(
        `<</Title(${escaped(entry.title)})/Parent ${outlineAt} 0 R${next}/Dest[${pageObject(entry.page)} 0 R/Fit]>>`,
      )
    }
  }
  if (title !== undefined) objects.push(`<</Title(${escaped(title)})>>`)
  return assemble(objects, `/Root 1 0 R${title === undefined ? '' : `/Info ${infoAt} 0 R`}`)
}

/** Numbers the objects from 1 and adds the table of their places. */
export function assemble(objects: readonly (string | Uint8Array)[], trailer: string): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.5\n')]
  const places: number[] = []
  let length = parts[0]?.length ?? 0
  const write = (bytes: Uint8Array): void => {
    parts.push(bytes)
    length += bytes.length
  }
  for (const [at, object] of objects.entries()) {
    places.push(length)
    write(Buffer.from(`${at + 1} 0 obj\n`))
    write(typeof object === 'string' ? Buffer.from(object, 'latin1') : object)
    write(Buffer.from('\nendobj\n'))
  }
  const start = length
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  write(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`))
  write(Buffer.from(`trailer<</Size ${objects.length + 1}${trailer}>>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}

/** A page of this size in points that is nothing but a picture: grey values, row by row. */
export interface ScannedPage {
  readonly width: number
  readonly height: number
  readonly pixels: { readonly width: number; readonly height: number; readonly grey: Uint8Array }
}

/** A scanned file: pages that are pictures; the first of them after a page with the text, if there is one. */
export function pdfOfScans(scans: readonly ScannedPage[], text: readonly PlacedText[] = []): Uint8Array {
  const first = text.length === 0 ? [] : [{ width: 595, height: 842, content: text.map(textOperators).join('\n') }]
  const pages = [
    ...first,
    ...scans.map((scan) => ({ ...scan, content: `${scan.width} 0 0 ${scan.height} 0 0 cm /S Do` })),
  ]
  const pageObject = (at: number): number => 4 + 3 * at
  const stream = (head: string, bytes: Uint8Array): Buffer => {
    const packed = deflateSync(bytes)
    const start = Buffer.from(`<<${head}/Length ${packed.length}/Filter/FlateDecode>>stream\n`)
    return Buffer.concat([start, packed, Buffer.from('\nendstream')])
  }
  const objects: (string | Uint8Array)[] = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${pageObject(at)} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ]
  for (const [at, page] of pages.entries()) {
    const own = pageObject(at)
    const none: ScannedPage['pixels'] = { width: 1, height: 1, grey: new Uint8Array(1) }
    const picture = scans[at - first.length]?.pixels ?? none
    const look = `/Width ${picture.width}/Height ${picture.height}/ColorSpace/DeviceGray/BitsPerComponent 8`
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${page.width} ${page.height}]/Contents ${own + 1} 0 R/Resources<</Font<</R 3 0 R>>/XObject<</S ${own + 2} 0 R>>>>>>`,
      stream('', Buffer.from(page.content)),
      stream(`/Type/XObject/Subtype/Image${look}`, picture.grey),
    )
  }
  return assemble(objects, '/Root 1 0 R')
}

/** A form of one page with a label, and the fields as dictionaries without their place. */
export function pdfForm(fields: readonly string[]): Uint8Array {
  const list = fields.map((_, at) => `${6 + at} 0 R`).join(' ')
  const content = 'BT /R 10 Tf 72 700 Td (Application) Tj ET'
  return assemble(
    [
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${list}]>>>>`,
      '<</Type/Pages/Count 1/Kids[4 0 R]>>',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</R 3 0 R>>>>/Annots[${list}]>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      ...fields.map((field) => `<</Type/Annot/Subtype/Widget/Rect[72 600 200 620]/P 4 0 R${field}>>`),
    ],
    '/Root 1 0 R',
  )
}

/** One page that says Text, with these annotations as dictionaries without their place. */
export function pdfWithAnnotations(annotations: readonly string[]): Uint8Array {
  const list = annotations.map((_, at) => `${6 + at} 0 R`).join(' ')
  const content = 'BT /R 10 Tf 72 700 Td (Text) Tj ET'
  return assemble(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[4 0 R]>>',
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</R 3 0 R>>>>/Annots[${list}]>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      ...annotations.map((annotation) => `<</Type/Annot/Rect[72 600 200 620]/P 4 0 R${annotation}>>`),
    ],
    '/Root 1 0 R',
  )
}

/** `pages` pages that are all the same one, in a single node of the page tree. */
export function pdfWithOnePageManyTimes(pages: number): Uint8Array {
  return assemble(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Count ${pages}/Kids[${'3 0 R '.repeat(pages)}]>>`,
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>',
    ],
    '/Root 1 0 R',
  )
}

/** A page tree whose node is its own child. */
export function pdfWithPageTreeLoop(): Uint8Array {
  return assemble(
    ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 2/Kids[2 0 R 2 0 R]/Parent 2 0 R>>'],
    '/Root 1 0 R',
  )
}

/** A file that says that it is encrypted with a password that is not empty. */
export function encryptedPdf(): Uint8Array {
  const key = `<${'5a'.repeat(32)}>`
  return assemble(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>',
      `<</Filter/Standard/V 1/R 2/P -4/O${key}/U${key}>>`,
    ],
    `/Root 1 0 R/Encrypt 4 0 R/ID[${key}${key}]`,
  )
}
