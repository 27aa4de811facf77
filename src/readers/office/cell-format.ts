/**
 * Numbers of a spreadsheet as a person sees them, as far as it matters for reading: dates, times,
 * percentages and decimals; without thousands separators, colours and currency signs.
 * (ECMA-376, part 1, 18.8.30 numFmt and 18.17.4 Dates and Times.)
 */

export type CellFormat =
  | { readonly kind: 'general' }
  | { readonly kind: 'date' | 'time' | 'dateTime' | 'duration' }
  | { readonly kind: 'fixed' | 'percent'; readonly decimals: number }

const general: CellFormat = { kind: 'general' }

/** Formats that have a number only: which of them are dates. The others are spelled out for `formatOf`. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  18: 'h:mm',
  19: 'h:mm:ss',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'd.m.yy h:mm',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
}
const builtInDates: readonly (readonly [number, number])[] = [
  [14, 17],
  [27, 31],
  [34, 36],
  [50, 58],
]

/** The format of a number of the table of formats; `code` is that of a format of the file's own. */
export function formatOf(id: number, code: string | undefined): CellFormat {
  if (code !== undefined) return formatOfCode(code)
  if (builtInDates.some(([from, to]) => id >= from && id <= to)) return { kind: 'date' }
  return formatOfCode(builtIn[id] ?? 'General')
}

/** A number as text. `date1904` counts days from 1904, as old Macintosh files do. */
export function formatNumber(value: number, format: CellFormat, date1904: boolean): string {
  if (!Number.isFinite(value)) return ''
  if (format.kind === 'general') return plain(value)
  if (format.kind === 'fixed') return plain(Number(value.toFixed(format.decimals)))
  if (format.kind === 'percent') return `${(value * 100).toFixed(format.decimals)}%`
  if (format.kind === 'duration') return duration(value)
  return dateText(value, format.kind, date1904) ?? plain(value)
}

/** Excel writes at most 255 characters; in more than that no format is looked for. */
const codeMax = 1000

function formatOfCode(code: string): CellFormat {
  if (code.length > codeMax) return general
  // Only what is for positive numbers; without literal text, colours and conditions.
  const bare = (code.split(';')[0] ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[[hms]+\]/i.test(bare)) return { kind: 'duration' }
  const pattern = bare.replace(/\[[^\][]*\]/g, '').toLowerCase()
  if (pattern.includes('general')) return general
  const time = /[hs]|am\/pm/.test(pattern)
  if (/[yd]/.test(pattern) || (pattern.includes('m') && !time)) return { kind: time ? 'dateTime' : 'date' }
  if (time) return { kind: 'time' }
  const digits = /[0#?][0#?,]*(?:\.([0#?]+))?/.exec(pattern)
  // Fractions, exponents and numbers shown in thousands are left as they are stored.
  if (digits === null || /[/e]/.test(pattern) || /,(?![0#?])/.test(pattern)) return general
  const decimals = Math.min((digits[1] ?? '').length, 15)
  return { kind: pattern.includes('%') ? 'percent' : 'fixed', decimals }
}

/** Without the digits that only binary fractions have: 0.3, not 0.30000000000000004. */
const plain = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)))

function dateText(serial: number, kind: 'date' | 'time' | 'dateTime', date1904: boolean): string | null {
  // Day 60 is 29 February 1900, which did not exist; days before it are one off.
  const days = date1904 ? serial + 1462 : serial < 60 && serial >= 1 ? serial + 1 : serial
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000)
  if (Number.isNaN(date.getTime()) || serial < 0 || date.getUTCFullYear() > 9999) return null
  const [day = '', clock = ''] = date.toISOString().slice(0, 19).split('T')
  const time = clock.endsWith(':00') ? clock.slice(0, 5) : clock
  if (kind === 'time') return serial < 1 ? time : `${day} ${time}`
  return kind === 'date' || clock === '00:00:00' ? day : `${day} ${time}`
}

function duration(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400)
  const two = (value: number): string => String(value).padStart(2, '0')
  const text = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return days < 0 ? `-${text}` : text
}
