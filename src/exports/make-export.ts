/**
 * Makes the files of one export and stores them. Anything that fails leaves the export pending: it is made again as a
 * whole. A process that loses the race to another leaves bytes that belong to nothing, which the sweep of blobs removes.
 */
import type { ExportFile, ExportFormat, ExportTotals, UsageExport } from '#store/exports/usage-exports.ts'
import type { UsageBreakdown, UsageStore } from '#store/usage/usage.ts'
import { daysOf } from './due-periods.ts'
import type { ExportRow } from './export-columns.ts'
import { exportPieces } from './export-files.ts'

/** Where files go. */
export interface ExportPlace {
  /** Stores bytes under an id that is new; they are safe from the sweep until the result is disposed. */
  store(id: string, pieces: AsyncIterable<Uint8Array>): Promise<StoredBytes>
}

export interface StoredBytes extends Disposable {
  readonly sha256: string
  readonly bytes: number
}

/** Names for ids, as they are at this moment; empty for what is gone. */
export interface ExportNames {
  user(id: string): { readonly email: string; readonly groups: readonly string[] }
  keys(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface ExportParts {
  readonly usage: Pick<UsageStore, 'breakdown'>
  readonly place: ExportPlace
  readonly names: ExportNames
  readonly currency: string
}

export interface MadeExport extends Disposable {
  readonly totals: ExportTotals
  readonly files: readonly ExportFile[]
}

/** Rows that are read, and of Parquet written, at once. */
const pageRows = 2000

/** The files of an export. Rejects when usage of its time changes while they are made. */
export async function makeExport(
  parts: ExportParts,
  planned: UsageExport,
  formats: readonly ExportFormat[],
): Promise<MadeExport> {
  using held = new DisposableStack()
  const files: ExportFile[] = []
  let totals: ExportTotals | null = null
  for (const format of formats) {
    const counted = { rows: 0, requests: 0, cost: 0 }
    const blobId = crypto.randomUUID()
    const stored = held.use(
      await parts.place.store(blobId, exportPieces[format](counting(rowsOf(parts, planned), counted))),
    )
    if (totals !== null && JSON.stringify(totals) !== JSON.stringify(counted))
      throw new Error('usage of this time changed while it was exported')
    totals = counted
    files.push({ format, blobId, sha256: stored.sha256, bytes: stored.bytes })
  }
  const owned = held.move()
  return {
    totals: totals ?? { rows: 0, requests: 0, cost: 0 },
    files,
    [Symbol.dispose]: () => owned.dispose(),
  }
}

type Counted = { -readonly [Name in keyof ExportTotals]: number }

async function* counting(
  pages: AsyncIterable<readonly ExportRow[]>,
  counted: Counted,
): AsyncGenerator<readonly ExportRow[], void> {
  for await (const page of pages) {
    counted.rows += page.length
    for (const { sums } of page) {
      counted.requests += sums.requests
      counted.cost += sums.cost
    }
    yield page
  }
}

async function* rowsOf(parts: ExportParts, planned: UsageExport): AsyncGenerator<readonly ExportRow[], void> {
  for (const { from, to, date } of daysOf(planned)) {
    for (let after = 0; ;) {
      const page = await parts.usage.breakdown({ from, to, after, limit: pageRows })
      yield await named(parts, page, date)
      const last = page.at(-1)
      if (last === undefined || page.length < pageRows) break
      after = last.series
    }
  }
}

async function named(
  { names, currency }: ExportParts,
  page: readonly UsageBreakdown[],
  date: string,
): Promise<readonly ExportRow[]> {
  const keys = await names.keys([...new Set(page.map(({ keyId }) => keyId).filter((id) => id !== ''))])
  return page.map((row) => {
    const { email, groups } = names.user(row.userId)
    return {
      ...row,
      date,
      userEmail: email,
      userGroups: groups.join(','),
      keyName: keys.get(row.keyId) ?? '',
      currency,
    }
  })
}
