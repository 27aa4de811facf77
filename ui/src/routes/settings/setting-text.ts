/** Values of settings as texts: to be read in a list, and to be typed into a field. */
import type { Setting } from '../../api/schema.d.ts'
import type { SettingValue } from './queries.ts'

type ShownValue = Setting['value']

/** A value as people read it, with its unit. */
export function shownValue(value: ShownValue, unit: string | null): string {
  if (value === null) return 'not set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number')
    return `${value.toLocaleString('en')}${unit === null ? '' : ` ${unit}`}${sizeNote(value, unit)}`
  if (typeof value === 'string') return value
  const parts = Array.isArray(value)
    ? (value as readonly (string | number)[]).map(String)
    : Object.entries(value).map(([name, text]) => `${name} = ${text}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}

/** Bytes beyond a thousand are hard to read. */
function sizeNote(value: number, unit: string | null): string {
  return unit === 'bytes' && value >= 1_000_000 ? ` (${Math.round(value / 1_048_576).toLocaleString('en')} MiB)` : ''
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
