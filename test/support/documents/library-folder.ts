/** A folder of ten files of different kinds, each with a sentence of its own, written as a user would have them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { docx, epub, xlsx } from './office-files.ts'
import { column, writePdf } from './pdf-writer.ts'

export interface LibraryFile {
  /** Below the folder. */
  readonly name: string
  readonly mediaType: string
  readonly content: string | Uint8Array
  /** Asks for the sentence, in other words of the same. */
  readonly question: string
  /** Stands in this file only, and in its text as it is. */
  readonly sentence: string
  /** Where it stands, in files that have pages. */
  readonly page: number | null
  /** The heading above it, in files that have headings. */
  readonly heading: string | null
}

const paragraph = (text: string, style = ''): string =>
  `<w:p><w:pPr>${style === '' ? '' : `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
const headingStyle =
  '<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>'
const sheetRow = ([product, price]: readonly [string, string], at: number): string => {
  const cell = (letter: string, text: string) => `<c r="${letter}${at + 1}" t="inlineStr"><is><t>${text}</t></is></c>`
  return `<row r="${at + 1}">${cell('A', product)}${cell('B', price)}</row>`
}
const priceList = (...rows: readonly (readonly [string, string])[]): string =>
  `<sheetData>${[['Product', 'Price'] as const, ...rows].map(sheetRow).join('')}</sheetData>`

/** As much as a chunk holds, so that what follows on the next page is in a chunk of its own. */
const firstPage = [
  'This text is for everybody who comes here for the first time.',
  'It tells where things are, whom to ask, and what is kept in which cupboard.',
  'Nobody has to know all of it by heart; it is enough to know that it is written down.',
  'Whoever finds a mistake in it may mend it, and should tell the others.',
]
const tools = ['Hammer', 'Chisel', 'Screwdriver', 'Pliers', 'File', 'Saw', 'Clamp', 'Plane']

export const libraryFiles: readonly LibraryFile[] = [
  {
    name: 'handbook.pdf',
    mediaType: 'application/pdf',
    content: writePdf({
      pages: [
        { texts: column(firstPage) },
        { texts: column(['Parental leave lasts fourteen months.', 'Ask for it in writing.']) },
      ],
    }),
    question: 'How long is parental leave?',
    sentence: 'Parental leave lasts fourteen months.',
    page: 2,
    heading: null,
  },
  {
    name: 'contracts/supply.docx',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    content: docx(paragraph('Delivery', 'H1') + paragraph('The turbines are delivered by barge to Rotterdam.'), {
      styles: headingStyle,
    }),
    question: 'Where are the turbines delivered?',
    sentence: 'The turbines are delivered by barge to Rotterdam.',
    page: null,
    heading: 'Delivery',
  },
  {
    name: 'contracts/prices.xlsx',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    content: xlsx({
      Fuel: priceList(['Kerosene', '93 cents'], ['Petrol', '160 cents']),
      Tools: priceList(...tools.map((tool): [string, string] => [tool, '15 euros']), ['Torque wrench', '210 euros']),
    }),
    question: 'price of a torque wrench',
    sentence: '| Torque wrench | 210 euros |',
    page: 2,
    heading: 'Tools',
  },
  {
    name: 'site/opening.html',
    mediaType: 'text/html',
    content:
      '<title>Visit</title><h1>Visit us</h1><h2>Planetarium</h2><p>The planetarium opens at nineteen hundred.</p>',
    question: 'When does the planetarium open?',
    sentence: 'The planetarium opens at nineteen hundred.',
    page: null,
    heading: 'Planetarium',
  },
  {
    name: 'notes/garden.md',
    mediaType: 'text/markdown',
    content: '# Garden\n\n## Composting\n\nEggshells rot in the compost within three years.\n',
    question: 'how long do eggshells take to rot',
    sentence: 'Eggshells rot in the compost within three years.',
    page: null,
    heading: 'Composting',
  },
  {
    name: 'lists/stations.csv',
    mediaType: 'text/csv',
    content: 'station,altitude\nJungfraujoch,3454 metres\nBrunnen,435 metres\n',
    question: 'altitude of Jungfraujoch',
    sentence: '| Jungfraujoch | 3454 metres |',
    page: null,
    heading: null,
  },
  {
    name: 'mail/invoice.eml',
    mediaType: 'message/rfc822',
    content: [
      'From: Bea <bea@example.org>',
      'To: Abe <abe@example.org>',
      'Subject: Invoice for the piano tuner',
      'Date: Mon, 01 Jun 2026 10:00:00 +0000',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'The piano tuner charges eighty francs.',
      '',
    ].join('\r\n'),
    question: 'What does the piano tuner charge?',
    sentence: 'The piano tuner charges eighty francs.',
    page: null,
    heading: null,
  },
  {
    name: 'plain.txt',
    mediaType: 'text/plain',
    content: 'The lighthouse keeper feeds seagulls at noon.\n',
    question: 'Who feeds the seagulls?',
    sentence: 'The lighthouse keeper feeds seagulls at noon.',
    page: null,
    heading: null,
  },
  {
    name: 'lists/machine.json',
    mediaType: 'application/json',
    content: '{"centrifuge":{"speed":"nine thousand revolutions"}}',
    question: 'speed of the centrifuge revolutions',
    sentence: '"speed": "nine thousand revolutions"',
    page: null,
    heading: null,
  },
  {
    name: 'books/voyage.epub',
    mediaType: 'application/epub+zip',
    content: epub({
      one: `<h1>Departure</h1><p>${firstPage.join(' ')}</p>`,
      two: '<h1>The iceberg</h1><p>The iceberg was seen by the cook first.</p>',
    }),
    question: 'Who saw the iceberg first?',
    sentence: 'The iceberg was seen by the cook first.',
    page: 2,
    heading: 'The iceberg',
  },
]

/** Writes the files below the folder, which need not be there. */
export function writeLibrary(folder: string): void {
  for (const { name, content } of libraryFiles) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
