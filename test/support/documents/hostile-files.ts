/**
 * Files that are made to hurt whoever reads them, and files that are broken in ordinary ways, with what
 * must become of each: the state and code in which it ends.
 */
import { deflateSync } from 'node:zlib'
import { docx, docxEntries, epub, openDocumentFile, pptx, xlsx } from './office-files.ts'
import { assemble, column, encryptedPdf, pdfWithOnePageManyTimes, pdfWithPageTreeLoop, writePdf } from './pdf-writer.ts'
import { zip } from './zip-writer.ts'

export interface HostileFile {
  /** As a file name; the kind is told by the content. */
  readonly name: string
  readonly bytes: Uint8Array
  /** `invalid <code>` when it is refused at the import, `failed <code>` or `completed` otherwise; what is cut short by time may end in either way. */
  readonly ends: string | readonly string[]
}

const paragraph = '<w:p><w:r><w:t>Some text that can be read.</w:t></w:r></w:p>'
const text = (content: string): Uint8Array => Buffer.from(content)
const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length >> 1)

/** The office file with one part of `unpackedBytes` that packs to a thousandth of it. */
function packedBomb(unpackedBytes: number, declaredBytes?: number): Uint8Array {
  const entries = docxEntries(paragraph).filter(({ name }) => name !== 'word/document.xml')
  const content = Buffer.alloc(unpackedBytes, ' ')
  content.write('<w:document xmlns:w="w"><w:body>')
  return zip([
    ...entries,
    { name: 'word/document.xml', content, ...(declaredBytes !== undefined && { declaredBytes }) },
  ])
}

/** A PDF of one page whose content is `bytes` of drawing, packed twice. */
function contentStreamBomb(bytes: number): Uint8Array {
  const line = '1 0 0 1 0 0 cm\n'
  const packed = deflateSync(deflateSync(Buffer.alloc(bytes, line)))
  const content = Buffer.concat([
    Buffer.from(`<</Length ${packed.length}/Filter[/FlateDecode/FlateDecode]>>stream\n`),
    packed,
    Buffer.from('\nendstream'),
  ])
  return assemble(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Count 1/Kids[3 0 R]>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>',
      content,
    ],
    '/Root 1 0 R',
  )
}

function entities(levels: number): string {
  const definitions = Array.from({ length: levels }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`)
  return `<!DOCTYPE x [<!ENTITY e0 "laughs">${definitions.join('')}]>`
}

function entityBomb(): Uint8Array {
  const entries = docxEntries(paragraph).filter(({ name }) => name !== 'word/document.xml')
  const body = '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&e9;</w:t></w:r></w:p></w:body></w:document>'
  return zip([...entries, { name: 'word/document.xml', content: `<?xml version="1.0"?>${entities(9)}${body}` }])
}

function manyEntries(count: number): Uint8Array {
  const more = Array.from({ length: count }, (_, at) => ({ name: `word/media/${at}.bin`, content: '', stored: true }))
  return zip([...docxEntries(paragraph), ...more], { zip64: true })
}

function nestedZip(depth: number): Uint8Array {
  let inner: Uint8Array = text('the innermost file')
  for (let at = 0; at < depth; at += 1) inner = zip([{ name: `${at}.zip`, content: inner }])
  return inner
}

/** Entries without content, each of which says that its name goes on over the next 2,000. */
function overlappingNames(count: number): Uint8Array {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(0xffff, 26)
  return Buffer.alloc(header.length * count, header)
}

/** Chunks without content and without an end, as many as fit. */
function pngOfEmptyChunks(bytes: number): Uint8Array {
  const start = '89504e470d0a1a0a0000000d494844520000000100000001080600000000000000'
  return Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(bytes)])
}

const sheet = '<sheetData><row><c><v>1</v></c></row></sheetData>'
const slide = '<p:sp><p:txBody><a:p><a:r><a:t>text</a:t></a:r></a:p></p:txBody></p:sp>'
const table =
  '<table:table><table:table-row><table:table-cell><text:p>text</text:p></table:table-cell></table:table-row></table:table>'
const page = '<draw:page><draw:frame><draw:text-box><text:p>text</text:p></draw:text-box></draw:frame></draw:page>'

/** One small whole file of each packed or binary kind. */
const wholeFiles: Readonly<Record<string, Uint8Array>> = {
  'cut.pdf': writePdf({ pages: [{ texts: column(['A line of text.', 'And another one.']) }] }),
  'cut.docx': docx(paragraph),
  'cut.pptx': pptx([{ shapes: slide }]),
  'cut.xlsx': xlsx({ S: sheet }),
  'cut.odt': openDocumentFile('text', '<text:p>text</text:p>'),
  'cut.ods': openDocumentFile('spreadsheet', table),
  'cut.odp': openDocumentFile('presentation', page),
  'cut.epub': epub({ one: '<p>text</p>' }),
}

export interface HostileScale {
  /** Above documents.max_unpacked_bytes of the server. */
  readonly unpackedBytes: number
  readonly contentStreamBytes: number
}

/** All of them. What they hold is only limited by the limits of the server. */
export function hostileFiles({ unpackedBytes, contentStreamBytes }: HostileScale): readonly HostileFile[] {
  const bomb = packedBomb(unpackedBytes)
  return [
    { name: 'bomb by size.docx', bytes: bomb, ends: 'failed too_complex' },
    { name: 'bomb that says it is small.docx', bytes: packedBomb(unpackedBytes, 500), ends: 'failed damaged' },
    { name: 'bomb of 70,000 entries.docx', bytes: manyEntries(70_000), ends: 'failed too_complex' },
    { name: 'zip in zip in zip.zip', bytes: nestedZip(10), ends: 'failed no_text' },
    { name: 'overlapping names.zip', bytes: overlappingNames(20_000), ends: 'failed damaged' },
    { name: 'empty chunks.png', bytes: pngOfEmptyChunks(4_000_000), ends: 'failed damaged' },
    { name: 'headings without lines', bytes: text('# a\r'.repeat(16_384)), ends: 'completed' },
    { name: 'entities.docx', bytes: entityBomb(), ends: 'failed damaged' },
    { name: 'entities.xml', bytes: text(`<?xml version="1.0"?>${entities(9)}<x>&e9;</x>`), ends: 'completed' },
    { name: '50,000 pages.pdf', bytes: pdfWithOnePageManyTimes(50_000), ends: 'failed too_complex' },
    { name: 'page tree loop.pdf', bytes: pdfWithPageTreeLoop(), ends: 'failed damaged' },
    {
      name: 'content stream.pdf',
      bytes: contentStreamBomb(contentStreamBytes),
      ends: ['failed no_text', 'failed too_complex'],
    },
    {
      name: '200,000 divs.html',
      bytes: text(`${'<div>'.repeat(200_000)}deep${'</div>'.repeat(200_000)}`),
      ends: 'completed',
    },
    { name: 'one letter.txt', bytes: text('a'.repeat(200_000)), ends: 'completed' },
    { name: 'nested.json', bytes: text('['.repeat(100_000) + ']'.repeat(100_000)), ends: 'failed too_complex' },
    { name: 'encrypted.pdf', bytes: encryptedPdf(), ends: 'failed encrypted' },
    { name: 'scan.pdf', bytes: writePdf({ pages: [{ hasPicture: true }] }), ends: 'failed no_text' },
    { name: 'only spaces.txt', bytes: text(' \n\t \n'), ends: 'failed no_text' },
    { name: 'empty.txt', bytes: text(''), ends: 'invalid no_content' },
    {
      name: 'binary.txt',
      bytes: Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3)) % 256),
      ends: 'invalid unsupported_type',
    },
    { name: 'really a pdf.txt', bytes: wholeFiles['cut.pdf'] ?? text(''), ends: 'completed' },
    { name: 'really text.pdf', bytes: text('This is text, whatever its name says.'), ends: 'completed' },
    { name: '../../../../etc/cron.d/evil.txt', bytes: text('A name that climbs.'), ends: 'completed' },
    { name: 'C:\\windows\\evil.txt', bytes: text('A name of another system.'), ends: 'completed' },
    {
      name: 'entries that climb.docx',
      bytes: zip([...docxEntries(paragraph), { name: '../../../../tmp/evil.txt', content: 'evil' }]),
      ends: 'completed',
    },
    { name: 'cut.rtf', bytes: text(String.raw`{\rtf1\ansi {\b Some text that is cut`), ends: 'failed damaged' },
    { name: 'cut.html', bytes: text('<table><tr><td>Some text that is cut <a href="'), ends: 'completed' },
    { name: 'cut.json', bytes: text('{"a": ["some text that is cut'), ends: 'failed damaged' },
    {
      name: 'cut.eml',
      bytes: text('From: a@b.c\nSubject: cut\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nSome te'),
      ends: 'completed',
    },
    ...Object.entries(wholeFiles).map(([name, bytes]) => ({
      name,
      bytes: cut(bytes),
      ends: 'failed damaged',
    })),
  ]
}
