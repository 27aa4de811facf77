/** A number of bytes in words ("3.4 MB"), exact on hover. */

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function ByteSize({ bytes }: { readonly bytes: number }) {
  return <span title={`${bytes.toLocaleString('en')} bytes`}>{byteText(bytes)}</span>
}

/** Decimal units, as file managers have them. */
export function byteText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  const maximumFractionDigits = power > 0 && value < 10 ? 1 : 0
  return `${value.toLocaleString('en', { maximumFractionDigits })} ${units[power]}`
}
