/**
 * Notebooks of Jupyter: the text of Markdown cells, the code of code cells, and what cells printed. Pictures and widgets
 * among the results are left out: in the file they are base64 or programs. (nbformat 3 and 4.)
 */
import { type Reader, ReadFailure, type ReadRequest, type Reading } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { decodeText } from './charset.ts'
import { parseJson } from './json-text.ts'
import { markdownPart } from './markdown.ts'

type Fields = Readonly<Record<string, unknown>>

const outputCharactersMax = 20_000

/** Reads notebooks. */
export const notebookReader: Reader = { name: 'notebook', read: async (request) => readNotebook(request) }

function readNotebook({ bytes, mediaType, limits }: ReadRequest): Reading {
  const notebook = fieldsOf(parseJson(decodeText(bytes).text))
  const cells = [notebook, ...listOf(notebook['worksheets']).map(fieldsOf)].flatMap((holder) => listOf(holder['cells']))
  if (!('nbformat' in notebook) && cells.length === 0) {
    throw new ReadFailure('damaged', 'The file is JSON, but not a notebook. Leave the reader at auto.')
  }
  const builder = new TextBuilder(limits)
  for (const cell of cells.map(fieldsOf)) appendCell(builder, cell)
  const reading = builder.reading({ mediaType, title: null })
  const stated = fieldsOf(notebook['metadata'])['title']
  const title = typeof stated === 'string' ? stated : reading.headings.find(({ level }) => level === 1)?.title
  return { ...reading, title: title ?? null }
}

function appendCell(builder: TextBuilder, cell: Fields): void {
  const source = linesOf(cell['source'] ?? cell['input'])
  const type = cell['cell_type']
  if (type === 'markdown') builder.append(markdownPart(source))
  else if (type === 'heading') builder.heading(Number(cell['level']) || 1, source)
  else if (type === 'raw') builder.paragraph(source)
  else builder.code(source)
  for (const output of listOf(cell['outputs'])) appendOutput(builder, fieldsOf(output))
}

function appendOutput(builder: TextBuilder, output: Fields): void {
  // Format 3 has the kinds of data beside each other in the output itself.
  const data = { ...output, ...fieldsOf(output['data']) } as Fields
  const isError = output['output_type'] === 'error' || output['output_type'] === 'pyerr'
  const text = isError
    ? `${linesOf(output['ename'])}: ${linesOf(output['evalue'])}`
    : linesOf(data['text/markdown'] ?? data['text/plain'] ?? data['text'])
  if (Object.keys(data).some((key) => /^(?:image\/|png$|jpeg$|svg$)/.test(key))) {
    builder.warn('Pictures among the results were left out.')
    // A picture as text is its address in memory.
    if (/^<[^\n]*>$/.test(text.trim())) return
  }
  if (text.length > outputCharactersMax) builder.warn(`Results were cut off after ${outputCharactersMax} characters.`)
  builder.code(withoutColours(text.slice(0, outputCharactersMax)))
}

/** Terminals' colours, ECMA-48 8.3.117. */
function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character begins a colour
  return text.replace(/\u001b\[[\d;]{0,20}m/g, '')
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

/** Texts are a string or a list of lines that keep their ends. */
function linesOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .filter((line) => typeof line === 'string')
    .join('')
}
