/** Values of settings as text: for display, and for editing. */
import type { NewSettingValue, Setting } from '../../api/schema.d.ts'

/** A value as the server accepts it. */
export type SettingValue = NewSettingValue['value']

type ShownValue = Setting['value']

/** A value for display, with its unit. */
export function shownValue(value: ShownValue, unit: string | null): string {
  if (value === null) return 'not set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  // A number without a unit is an identifier, such as a port.
  if (typeof value === 'number') return unit === null ? String(value) : amount(value, unit)
  if (typeof value === 'string') return value
  const parts = Array.isArray(value)
    ? (value as readonly (string | number)[]).map(String)
    : Object.entries(value).map(([name, text]) => `${name} = ${text}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}

/** The number with its unit; large numbers of bytes also in MiB. */
function amount(value: number, unit: string): string {
  const text = `${value.toLocaleString('en')} ${unit}`
  if (unit !== 'bytes' || value < 1_000_000) return text
  return `${text} (${Math.round(value / 1_048_576).toLocaleString('en')} MiB)`
}

/** A value for editing. */
export function editableText(value: ShownValue, type: string): string {
  if (value === null || type === 'secret') return ''
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value)
    ? (value as readonly (string | number)[]).join('\n')
    : Object.entries(value)
        .map(([name, text]) => `${name} = ${text}`)
        .join('\n')
}

/** The edited text as a value. The server validates it. */
export function parseValue(text: string, type: string): SettingValue {
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
