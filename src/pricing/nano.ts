/**
 * Money as whole nano-units: integers of 10^-9 of the currency. Decimals are read and written as texts, so that no
 * binary fraction comes between.
 */

/** Nano-units of one unit of the currency. */
export const nanoPerUnit = 1_000_000_000

/** The largest amount: some nine million units of the currency. Larger ones are counted as this one. */
export const nanoMax = Number.MAX_SAFE_INTEGER

const decimal = /^(\d{1,7})(?:\.(\d{1,9}))?$/

/** The nano-units of a decimal such as `2.5`; null for what is not one, is negative, or has more than nine decimals. */
export function parseNano(text: string): number | null {
  const match = decimal.exec(text.trim())
  if (match === null) return null
  const [, units = '', fraction = ''] = match
  const nano = Number(units) * nanoPerUnit + Number(fraction.padEnd(9, '0'))
  return nano <= nanoMax ? nano : null
}

/** The decimal of an amount without zeros at its end: `0.000002`. */
export function formatNano(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The same with at least two decimals, for people: `12.50`. */
export function formatMoney(nano: number): string {
  const [units = '', fraction = ''] = formatNano(nano).split('.')
  return `${units}.${fraction.padEnd(2, '0')}`
}

/** An exact amount as a number; above `nanoMax` it is `nanoMax`. */
export function clampNano(nano: bigint): number {
  return nano > BigInt(nanoMax) ? nanoMax : Number(nano)
}
