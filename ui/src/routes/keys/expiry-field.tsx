/** When a key ends: never, after some days, or as it is. */
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/input.tsx'

const dayMs = 86_400_000
const lifetimes = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** The choice that leaves the end as it is. */
export const keepExpiry = 'keep'

/** The end that is this number of days away, RFC 3339; null = never. */
export function expiryOf(days: string): string | null {
  return days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
}

export interface ExpiryFieldProps {
  readonly value: string
  readonly onChange: (days: string) => void
  /** The end as it is, of a key that exists; null = never. */
  readonly now?: string | null
}

export function ExpiryField({ value, onChange, now }: ExpiryFieldProps) {
  return (
    <Field label="Expires" param="expires_at">
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {now !== undefined && (
          <option value={keepExpiry}>
            {now === null ? 'Never, as it is' : `${dates.format(new Date(now))}, as it is`}
          </option>
        )}
        {lifetimes
          .filter(([days]) => !(days === '' && now === null))
          .map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
      </Select>
    </Field>
  )
}
