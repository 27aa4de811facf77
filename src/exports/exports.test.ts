/** Which periods are due, and that both files say the same, whatever the rows and the pages are. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { windowAt } from '#budgets/window.ts'
import { daysOf, duePeriods } from './due-periods.ts'
import { exportColumns, type ExportRow } from './export-columns.ts'
import { exportPieces } from './export-files.ts'

const hourMs = 3_600_000

describe('due periods', () => {
  const at = (text: string): number => Date.parse(text)
  const due = (now: string, plannedUntil: string | null, fields: object = {}) =>
    duePeriods(
      { period: 'day', timeZone: 'UTC', hour: 3, ...fields },
      { now: at(now), plannedUntil: plannedUntil === null ? null : at(plannedUntil) },
    ).map(({ startsAt, endsAt }) => [new Date(startsAt).toISOString(), new Date(endsAt).toISOString()])

  test('the first is the last that has ended, some hours after its end', () => {
    expect(due('2026-03-02T02:59:59Z', null)).toEqual([])
    expect(due('2026-03-02T03:00:00Z', null)).toEqual([['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z']])
    expect(due('2026-03-01T05:00:00Z', null, { period: 'month' })).toEqual([
      ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ])
  })

  test('those that were missed are made up for, and clocks that are put forward make a day of 23 hours', () => {
    const days = due('2026-03-31T00:00:00Z', '2026-03-27T23:00:00Z', { timeZone: 'Europe/Berlin', hour: 1 })
    expect(days).toEqual([
      ['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z'],
      ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z'],
    ])
  })

  test('no moment is left out or exported twice, whatever the zone, the hour, and how often it is looked', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'America/Santiago']
    fc.assert(
      fc.property(
        fc.constantFrom('day' as const, 'month' as const),
        fc.array(fc.record({ zone: fc.constantFrom(...zones), afterHours: fc.integer({ min: 1, max: 900 }) }), {
          maxLength: 12,
        }),
        (period, looks) => {
          let [now, until] = [at('2026-01-15T12:00:00Z'), null as number | null]
          for (const { zone, afterHours } of looks) {
            now += afterHours * hourMs
            for (const { startsAt, endsAt } of duePeriods(
              { period, timeZone: zone, hour: 2 },
              { now, plannedUntil: until },
            )) {
              if (until !== null) expect(startsAt).toBe(until)
              expect(endsAt).toBeGreaterThan(startsAt)
              expect(endsAt).toBeLessThanOrEqual(now)
              until = endsAt
            }
          }
        },
      ),
    )
  })

  test('the days of a month are those of its calendar', () => {
    const { startsAt, endsAt } = windowAt('month', 'Europe/Berlin', at('2026-10-15T00:00:00Z'))
    const days = daysOf({ startsAt, endsAt: endsAt!, timeZone: 'Europe/Berlin' })
    expect(days.map(({ date }) => date)).toEqual(
      Array.from({ length: 31 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`),
    )
    expect(days[24]!.to - days[24]!.from).toBe(25 * hourMs)
  })
})

const summands = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
] as const
const others = [
  'reasoning_tokens',
  'request_bytes',
  'response_bytes',
  'duration_ms',
  'cost',
  'first_tokens',
  'first_token_ms',
] as const
const whole = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constant(Number.MAX_SAFE_INTEGER), fc.constant(0))
const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('=1+1', '@SUM(A1)', 'a,"b"\r\nc', '', 'ä😀'))

const aRow: fc.Arbitrary<ExportRow> = fc.record({
  series: fc.nat(),
  date: fc.constant('2026-01-31'),
  userId: name,
  keyId: name,
  model: name,
  provider: name,
  userEmail: name,
  userGroups: name,
  keyName: name,
  currency: fc.constant('EUR'),
  sums: fc.record(Object.fromEntries([...summands, ...others].map((each) => [each, whole]))) as unknown as fc.Arbitrary<
    ExportRow['sums']
  >,
})

async function bytesOf(format: 'csv' | 'parquet', pages: readonly (readonly ExportRow[])[]): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const source = (async function* () {
    yield* pages
  })()
  for await (const piece of exportPieces[format](source)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The fields of a text in the form of RFC 4180. */
function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  for (const match of text.matchAll(/("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n)/g)) {
    const [, written = '', end] = match
    rows.at(-1)?.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

test('CSV and Parquet have the same columns and values, in any pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(aRow, { maxLength: 5 }), { maxLength: 4 }), async (pages) => {
      const rows = pages.flat()
      const expected = rows.map((row) => exportColumns.map(({ value }) => String(value(row))))
      const [head, ...csv] = csvRows((await bytesOf('csv', pages)).toString())
      expect(head).toEqual(exportColumns.map((column) => column.name))
      expect(csv).toEqual(expected)
      const file = Uint8Array.from(await bytesOf('parquet', pages)).buffer
      const read = await parquetReadObjects({ file })
      expect(read.map((row) => exportColumns.map((column) => String(row[column.name])))).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('a name that a spreadsheet would run is marked, and money is never rounded', () => {
  const valueOf = (column: string, row: object) =>
    exportColumns.find((each) => each.name === column)?.value(row as ExportRow)
  expect(valueOf('key_name', { keyName: '=HYPERLINK("x")' })).toBe(`'=HYPERLINK("x")`)
  for (const [nano, text] of [
    [0, '0.000000000'],
    [1, '0.000000001'],
    [1_234_567_890, '1.234567890'],
    [9_007_199_254_740_991, '9007199.254740991'],
  ] as const)
    expect(valueOf('cost', { sums: { cost: nano } })).toBe(text)
})
