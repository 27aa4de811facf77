/** Tables in plain text: values divided by commas, semicolons, tabs or bars, RFC 4180 and what is in use around it. */
import { CsvError, type Options } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { decodeText } from './charset.ts'
import { bestDelimiter } from './delimiter.ts'
import { type Reader, ReadFailure } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** About as many as a reading process can hold; the limit on text is met before by rows of ordinary length. */
const rowsMax = 2_000_000
const columnsMax = 500
const cellCharactersMax = 10_000
const sampleCharacters = 65_536

/** All rows of the text. Quotes that do not pair are taken as ordinary characters. */
function rowsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const options: Options = {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    to: rowsMax + 1,
  }
  try {
    return parse(text, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  try {
    return parse(text, { ...options, quote: null })
  } catch (error) {
    throw new ReadFailure('damaged', 'The file is not a table of divided values. Import it as text.', error)
  }
}

function cut(builder: TextBuilder, rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (rows.length > rowsMax) {
    throw new ReadFailure(
      'too_complex',
      `The table has more than the ${rowsMax} rows that are read of one file. Divide it into smaller files.`,
    )
  }
  return rows.map((row) => {
    if (row.length > columnsMax) builder.warn(`Only the first ${columnsMax} columns of the table were read.`)
    return row.slice(0, columnsMax).map((text) => {
      if (text.length <= cellCharactersMax) return text
      builder.warn(`Cells were cut off after ${cellCharactersMax} characters.`)
      return text.slice(0, cellCharactersMax)
    })
  })
}

/** Reads a file of values as one Markdown table with its first row as the header. */
export const delimitedReader: Reader = {
  name: 'csv',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes)
    if (warning !== null) builder.warn(warning)
    // Excel writes the delimiter into a line of its own, before the header.
    const named = /^sep=([,;|\t])\r?\n/i.exec(text)
    const table = named === null ? text : text.slice(named[0].length)
    const delimiter =
      named?.[1] ?? (mediaType === 'text/tab-separated-values' ? '\t' : bestDelimiter(table.slice(0, sampleCharacters)))
    builder.table(cut(builder, rowsOf(table, delimiter)))
    return builder.reading({ mediaType, title: null })
  },
}
