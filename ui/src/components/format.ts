/** Numbers, sizes and durations as text. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** "12,345" */
export function wholeText(value: number): string {
  return whole.format(value)
}

/** "12.3K" */
export function compactText(value: number): string {
  return compact.format(value)
}

/** "4.2%" of a share from 0 to 1. */
export function percentText(share: number): string {
  return percent.format(share)
}

/** "1 model", "1,200 models". */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${whole.format(count)} ${count === 1 ? noun : plural}`
}

/** "310 ms", "1.2 s", "4 min 5 s". */
export function durationText(ms: number): string {
  if (ms < 1000) return `${whole.format(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** "3.4 MB", in decimal units, as file managers show them. */
export function byteText(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  const maximumFractionDigits = power > 0 && value < 10 ? 1 : 0
  return `${value.toLocaleString('en', { maximumFractionDigits })} ${byteUnits[power]}`
}
