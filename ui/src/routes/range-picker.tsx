/** Chooses the time range of a page. */
import { Input, Select } from '../components/input.tsx'
import styles from './range-picker.module.css'
import type { RangeSearch, Span } from './time-range.ts'
import { rangeOf } from './time-range.ts'

const choices = [
  ['hour', 'Last hour'],
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days'],
  ['month', 'Last 30 days'],
  ['this_month', 'This month'],
  ['last_month', 'Last month'],
  ['custom', 'Custom…'],
] as const

export interface RangePickerProps {
  readonly range: RangeSearch
  /** The range of an address that names none. */
  readonly standard?: Span
  readonly onChange: (range: RangeSearch) => void
}

export function RangePicker({ range, standard = 'day', onChange }: RangePickerProps) {
  const { span = standard, from, to } = range
  function choose(chosen: string): void {
    if (chosen !== 'custom') {
      const next = choices.find(([value]) => value === chosen)?.[0]
      return onChange({ span: next === standard ? undefined : next, from: undefined, to: undefined })
    }
    // The custom range starts with the range that was shown.
    const shown = rangeOf({ ...range, span }, Date.now())
    onChange({ span: 'custom', from: new Date(shown.from).toISOString(), to: new Date(shown.to).toISOString() })
  }
  return (
    <div className={styles.range} role="group" aria-label="Time range">
      <Select aria-label="Range" value={span} onChange={(event) => choose(event.target.value)}>
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {span === 'custom' && (
        <>
          <DateTimeInput label="From" at={from} onChange={(next) => onChange({ span, from: next, to })} />
          <DateTimeInput label="To" at={to} onChange={(next) => onChange({ span, from, to: next })} />
        </>
      )}
    </div>
  )
}

interface DateTimeInputProps {
  readonly label: string
  readonly at: string | undefined
  readonly onChange: (at: string | undefined) => void
}

function DateTimeInput({ label, at, onChange }: DateTimeInputProps) {
  return (
    <Input
      type="datetime-local"
      aria-label={label}
      defaultValue={at === undefined ? '' : localText(new Date(at))}
      onBlur={(event) => {
        const typed = new Date(event.target.value)
        const next = Number.isNaN(typed.getTime()) ? undefined : typed.toISOString()
        if (event.target.value !== (at === undefined ? '' : localText(new Date(at)))) onChange(next)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}

/** The format of the control: local time without a time zone. */
function localText(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
