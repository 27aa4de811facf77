/** Amounts of money as text. The server writes them as whole numbers of 10^-9 of the currency. */
import { formatNano, nanoPerUnit, parseNano } from '#pricing/nano.ts'

/** "€12.50"; amounts below one show three digits that count: "€0.00213". */
export function moneyText(nano: number, currency: string): string {
  const amount = nano / nanoPerUnit
  const places = amount === 0 ? 2 : Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(Math.abs(amount)))))
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: places }
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...digits }).format(amount)
}

/** All decimals of an amount that people set: "€0.0123456". */
export function exactMoneyText(nano: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 9 }
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...digits }).format(nano / nanoPerUnit)
}

/** "€1.2K", for charts. */
export function compactMoneyText(nano: number, currency: string): string {
  if (Math.abs(nano) < 1000 * nanoPerUnit) return moneyText(nano, currency)
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  })
  return format.format(nano / nanoPerUnit)
}

/** The exact decimal of an amount, for fields and files: "0.000002". */
export function amountText(nano: number): string {
  return formatNano(nano)
}

/** The amount of a decimal; null for what is not one, is negative, or has more than nine decimals. */
export function amountOf(text: string): number | null {
  return parseNano(text)
}
