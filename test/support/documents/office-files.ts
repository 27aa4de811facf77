/** Small office documents for tests: the parts that a test is about, the rest as small as the formats allow. */

import { zip } from './zip-writer.ts'
import type { ZipEntry } from './zip-writer.ts'

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** Parts by name; what a part leads to as `<type> <target>`, with ids rId1, rId2, … */
export interface PackageParts {
  readonly main: string
  readonly parts: Readonly<Record<string, string>>
  readonly relations?: Readonly<Record<string, readonly string[]>>
  readonly title?: string
}

/** An Office Open XML file. */
export function officePackage({ main, parts, relations: related = {}, title }: PackageParts): Uint8Array {
  return zip(officeEntries({ main, parts, relations: related, ...(title === undefined ? {} : { title }) }))
}

/** The entries of an Office Open XML file, for tests that spoil one. */
export function officeEntries({ main, parts, relations: related = {}, title }: PackageParts): ZipEntry[] {
  const ofPackage = [`officeDocument ${main}`, ...(title === undefined ? [] : ['core-properties docProps/core.xml'])]
  const core =
    title === undefined
      ? []
      : [
          {
            name: 'docProps/core.xml',
            content: `${declaration}<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`,
          },
        ]
  return [
    { name: '[Content_Types].xml', content: `${declaration}<Types/>` },
    { name: '_rels/.rels', content: relationsXml(ofPackage) },
    ...core,
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
    ...Object.entries(related).map(([part, targets]) => ({
      name: part.replace(/([^/]+)$/, '_rels/$1.rels'),
      content: relationsXml(targets),
    })),
  ]
}

/** A Word document with this body; other parts by the name of their relationship. */
export function docx(body: string, parts: Readonly<Record<string, string>> = {}, title?: string): Uint8Array {
  return zip(docxEntries(body, parts, title))
}

/** The entries of a Word document. */
export function docxEntries(body: string, parts: Readonly<Record<string, string>> = {}, title?: string): ZipEntry[] {
  const named = Object.entries(parts).map(([type, xml]) => [`word/${type}.xml`, `${declaration}${xml}`])
  return officeEntries({
    main: 'word/document.xml',
    parts: {
      'word/document.xml': `${declaration}<w:document xmlns:w="w" xmlns:r="r"><w:body>${body}</w:body></w:document>`,
      ...Object.fromEntries(named),
    },
    relations: { 'word/document.xml': Object.keys(parts).map((type) => `${type} ${type}.xml`) },
    ...(title === undefined ? {} : { title }),
  })
}

/**
 * A workbook with these sheets, given as the rows of `sheetData` and what follows it. `own` are parts that the first
 * sheet leads to, as `<type> <name>`, and parts that such a part leads to, as `<from> <type> <name>`.
 */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>> = {},
): Uint8Array {
  const names = Object.keys(sheets)
  const targets = [
    ...names.map((_, index) => `worksheet worksheets/sheet${index + 1}.xml`),
    ...Object.keys(parts).map((type) => `${type} ${type}.xml`),
  ]
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
  return officePackage({
    main: 'xl/workbook.xml',
    parts: {
      'xl/workbook.xml': `${declaration}<workbook xmlns="s" xmlns:r="r"><sheets>${list.join('')}</sheets></workbook>`,
      ...Object.fromEntries(
        names.map((name, index) => [
          `xl/worksheets/sheet${index + 1}.xml`,
          `${declaration}<worksheet xmlns="s">${sheets[name] ?? ''}</worksheet>`,
        ]),
      ),
      ...Object.fromEntries(Object.entries(parts).map(([type, xml]) => [`xl/${type}.xml`, `${declaration}${xml}`])),
      ...Object.fromEntries(Object.entries(own).map(([place, xml]) => [place.split(' ').at(-1) ?? '', xml])),
    },
    relations: { 'xl/workbook.xml': targets, ...relationsOf(Object.keys(own)) },
  })
}

function relationsOf(places: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const place of places) {
    const [name = '', type = '', from = 'xl/worksheets/sheet1.xml'] = place.split(' ').toReversed()
    found[from] = [...(found[from] ?? []), `${type} /${name}`]
  }
  return found
}

/** A presentation; `deck` are parts that it leads to, as `<type> <name>` below `ppt`; slides are shown in this order, and stored in the reverse one. */
export function pptx(
  slides: readonly {
    readonly shapes: string
    readonly notes?: string
    readonly hidden?: boolean
    readonly relations?: readonly string[]
  }[],
  parts: Readonly<Record<string, string>> = {},
  deck: Readonly<Record<string, string>> = {},
): Uint8Array {
  const all: Record<string, string> = { ...parts }
  const related: Record<string, string[]> = { 'ppt/presentation.xml': [] }
  const ids: string[] = []
  for (const [index, { shapes, notes, hidden, relations: own = [] }] of slides.entries()) {
    const stored = slides.length - index
    const name = `ppt/slides/slide${stored}.xml`
    all[name] =
      `${declaration}<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r"${hidden === true ? ' show="0"' : ''}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`
    related['ppt/presentation.xml']?.push(`slide slides/slide${stored}.xml`)
    related[name] = [...own]
    ids.push(`<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
    if (notes === undefined) continue
    all[`ppt/notesSlides/notes${stored}.xml`] =
      `${declaration}<p:notes xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${notes}</p:spTree></p:cSld></p:notes>`
    related[name]?.push(`notesSlide ../notesSlides/notes${stored}.xml`)
  }
  for (const [place, xml] of Object.entries(deck)) {
    related['ppt/presentation.xml']?.push(place)
    all[`ppt/${place.split(' ')[1] ?? ''}`] = xml
  }
  all['ppt/presentation.xml'] =
    `${declaration}<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`
  return officePackage({ main: 'ppt/presentation.xml', parts: all, relations: related })
}

/** An OpenDocument file whose `office:body` holds this element; `styles` are those of the content. */
export function openDocumentFile(
  kind: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  {
    styles = '',
    title = '',
    parts = {},
  }: { readonly styles?: string; readonly title?: string; readonly parts?: Readonly<Record<string, string>> } = {},
): Uint8Array {
  const content = `${declaration}<office:document-content xmlns:office="o"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`
  return zip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, stored: true },
    { name: 'content.xml', content },
    {
      name: 'meta.xml',
      content: `${declaration}<office:document-meta xmlns:office="o" xmlns:dc="d"><office:meta><dc:title>${title}</dc:title></office:meta></office:document-meta>`,
    },
    ...Object.entries(parts).map(([name, part]) => ({ name, content: part })),
  ])
}

/** An e-book with these chapters; other parts by name below `OEBPS`. */
export function epub(
  chapters: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>> = {},
  manifest = '',
): Uint8Array {
  const names = Object.keys(chapters)
  const items = names.map(
    (name) => `<item id="${name}" href="${encodeURIComponent(name)}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  const spine = names.map((name) => `<itemref idref="${name}"/>`)
  return zip([
    { name: 'mimetype', content: 'application/epub+zip', stored: true },
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/book.opf',
      content: `<package xmlns:dc="d"><metadata><dc:title>A Book</dc:title></metadata><manifest>${items.join('')}${manifest}</manifest><spine toc="ncx">${spine.join('')}</spine></package>`,
    },
    ...Object.entries(chapters).map(([name, body]) => ({
      name: `OEBPS/${name}.xhtml`,
      content: `<?xml version="1.0"?><html><head><title>x</title></head><body>${body}</body></html>`,
    })),
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
  ])
}

function relationsXml(targets: readonly string[]): string {
  const elements = targets.map((entry, index) => {
    const [type = '', target = ''] = entry.split(' ')
    return `<Relationship Id="rId${index + 1}" Type="${relations}/${type}" Target="${target}"/>`
  })
  return `${declaration}<Relationships>${elements.join('')}</Relationships>`
}
