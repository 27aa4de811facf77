/** Rows as the bytes of a file: CSV by RFC 4180 in UTF-8, or Parquet. A page of rows at a time, so neither is in memory as a whole. */
import type { ExportFormat } from '#store/exports/usage-exports.ts'
import { exportColumns, type ExportRow } from './export-columns.ts'

export type RowPages = AsyncIterable<readonly ExportRow[]>

/** The bytes of a file of this format. */
export const exportPieces: Readonly<Record<ExportFormat, (pages: RowPages) => AsyncGenerator<Uint8Array, void>>> = {
  csv: csvPieces,
  parquet: parquetPieces,
}

async function* csvPieces(pages: RowPages): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(`${exportColumns.map(({ name }) => name).join(',')}\r\n`)
  for await (const page of pages) {
    if (page.length > 0)
      yield Buffer.from(
        page.map((row) => `${exportColumns.map(({ value }) => field(value(row))).join(',')}\r\n`).join(''),
      )
  }
}

function field(value: string | number): string {
  const written = String(value)
  return /[",\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written
}

/** Texts are UTF-8, numbers are 64-bit integers; no column has nulls. Each page is a row group. */
async function* parquetPieces(pages: RowPages): AsyncGenerator<Uint8Array, void> {
  // Loaded at the first export: most servers make none.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  const taken = (): Uint8Array => {
    const piece = Buffer.from(bytes.getBytes())
    // The offset counts on: only the buffer begins again.
    bytes.index = 0
    return piece
  }
  const columns = exportColumns.map(({ name, type }) =>
    type === 'text'
      ? ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' } as const)
      : ({ name, type: 'INT64', repetition_type: 'REQUIRED' } as const),
  )
  const schema = [{ name: 'usage', num_children: columns.length }, ...columns]
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'sluice' })
  for await (const page of pages) {
    if (page.length === 0) continue
    const columnData = exportColumns.map(({ name, type, value }) => ({
      name,
      data: type === 'text' ? page.map(value) : page.map((row) => BigInt(value(row))),
    }))
    await writer.write({ columnData, rowGroupSize: page.length })
    yield taken()
  }
  await writer.finish()
  yield taken()
}
