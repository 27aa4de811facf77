/** The columns of an export: the contract with those who read the files (docs/exports.md). New ones come at the end. */
import type { UsageBreakdown } from '#store/usage/usage.ts'

/** A row, with the names of this moment for the ids in it. */
export interface ExportRow extends UsageBreakdown {
  /** The day in the time zone of the export: `2026-01-31`. */
  readonly date: string
  readonly userEmail: string
  /** Names of the groups of the user, by commas. */
  readonly userGroups: string
  readonly keyName: string
  readonly currency: string
}

type Column =
  | { readonly name: string; readonly type: 'text'; readonly value: (row: ExportRow) => string }
  | { readonly name: string; readonly type: 'integer'; readonly value: (row: ExportRow) => number }

const text = (name: string, value: (row: ExportRow) => string): Column => ({ name, type: 'text', value })
const sum = (name: keyof UsageBreakdown['sums'], as: string = name): Column => ({
  name: as,
  type: 'integer',
  value: ({ sums }) => sums[name],
})

export const exportColumns: readonly Column[] = [
  text('date', ({ date }) => date),
  text('user_id', ({ userId }) => userId),
  text('user_email', ({ userEmail }) => harmless(userEmail)),
  text('user_groups', ({ userGroups }) => harmless(userGroups)),
  text('key_id', ({ keyId }) => keyId),
  text('key_name', ({ keyName }) => harmless(keyName)),
  text('model', ({ model }) => harmless(model)),
  text('provider', ({ provider }) => harmless(provider)),
  sum('requests'),
  sum('errors'),
  sum('prompt_tokens'),
  sum('cached_tokens'),
  sum('cache_write_tokens'),
  sum('completion_tokens'),
  sum('reasoning_tokens'),
  sum('request_bytes'),
  sum('response_bytes'),
  sum('duration_ms'),
  sum('cost', 'cost_nano'),
  text('cost', ({ sums }) => decimal(sums.cost)),
  text('currency', ({ currency }) => currency),
]

/** Spreadsheets run a text that begins so as a formula, and people choose names. */
function harmless(written: string): string {
  return /^[=+\-@\t\r]/.test(written) ? `'${written}` : written
}

/** 10^-9 of the currency as a decimal with nine places: never rounded. */
function decimal(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(10, '0')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`
}
