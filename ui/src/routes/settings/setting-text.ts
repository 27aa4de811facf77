/** Values of settings as texts: to be read in a list, and to be typed into a field. */
import type { NewSettingValue, Setting } from '../../api/schema.d.ts'

/** What the server takes. */
export type SettingValue = NewSettingValue['value']

type ShownValue = Setting['value']

/** A value as people read it, with its unit. */
export function shownValue(value: ShownValue, unit: string | null): string {
  if (value === null) return 'not set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  // Without a unit it is a name rather than an amount: a port.
  if (typeof value === 'number') return unit === null ? String(value) : amount(value, unit)
  if (typeof value === 'string') return value
  const parts = Array.isArray(value)
    ? (value as readonly (string | number)[]).map(String)
    : Object.entries(value).map(([name, text]) => `${name} = ${text}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}

/** Bytes beyond a million are hard to read. */
function amount(value: number, unit: string): string {
  const text = `${value.toLocaleString('en')} ${unit}`
  if (unit !== 'bytes' || value < 1_000_000) return text
  return `${text} (${Math.round(value / 1_048_576).toLocaleString('en')} MiB)`
}

/** A value as it stands in its field. */
export function typedText(value: ShownValue, type: string): string {
  if (value === null || type === 'secret') return ''
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value)
    ? (value as readonly (string | number)[]).join('\n')
    : Object.entries(value)
        .map(([name, text]) => `${name} = ${text}`)
        .join('\n')
}

/** What was typed, as the server takes it; it checks it and says what is wrong. */
export function valueOfText(text: string, type: string): SettingValue {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  switch (type) {
    case 'integer':
    case 'number':
    case 'duration':
      return Number(text)
    case 'list':
      return lines
    case 'integers':
      return lines.flatMap((line) => line.split(/[,\s]+/)).map(Number)
    case 'map':
      return Object.fromEntries(lines.map(entryOf))
    default:
      return text.trim()
  }
}

function entryOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}
