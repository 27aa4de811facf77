/**
 * The filters above a list. Each reports a value, or undefined for no filter; pages keep the values
 * in the address, so that a filtered list can be shared and survives a reload.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './filter-form.module.css'
import { Input, Select } from './input.tsx'

export interface FilterFormProps {
  /** What is filtered, for screen readers: "Filter users". */
  readonly label: string
  /** Clears all filters; null while none is set. */
  readonly onClear: (() => void) | null
  /** How many rows match, for screen readers: "3 of 20 models". */
  readonly status?: string | undefined
  readonly children: ReactNode
  /** Buttons at the end of the row. */
  readonly actions?: ReactNode
}

export function FilterForm({ label, onClear, status, children, actions }: FilterFormProps) {
  return (
    <div className={styles.row}>
      <search aria-label={label} className={styles.filters}>
        {children}
        {onClear !== null && (
          <Button variant="quiet" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </search>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      {status !== undefined && (
        <p className="visually-hidden" role="status">
          {status}
        </p>
      )}
    </div>
  )
}

export interface FilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const typingPauseMs = 250

/** Filters by text, once typing pauses. */
export function TextFilter({
  label,
  placeholder,
  value = '',
  onChange,
}: FilterProps & { readonly placeholder: string }) {
  const [typed, setTyped] = useState(value)
  const [sent, setSent] = useState(value)
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    // Not the answer to what was typed here, but the back button or "Clear filters".
    if (value !== sent) {
      setTyped(value)
      setSent(value)
    }
  }
  const latestOnChange = useRef(onChange)
  useEffect(() => {
    latestOnChange.current = onChange
  })
  useEffect(() => {
    const next = typed.trim()
    if (next === sent) return
    const timer = setTimeout(() => {
      setSent(next)
      latestOnChange.current(next || undefined)
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed, sent])
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      className={styles.text ?? ''}
      value={typed}
      maxLength={255}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

export interface SelectFilterProps<Value extends string> extends Omit<FilterProps, 'value' | 'onChange'> {
  /** The choice that filters nothing: "All states". */
  readonly all: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value: Value | undefined
  readonly onChange: (value: Value | undefined) => void
}

/** Filters by one of a few values. */
export function SelectFilter<Value extends string>(props: SelectFilterProps<Value>) {
  const { label, all, options, value, onChange } = props
  return (
    <span className={styles.choice}>
      <Select
        aria-label={label}
        value={value ?? ''}
        onChange={({ target }) => onChange(options.find(([option]) => option === target.value)?.[0])}
      >
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </Select>
    </span>
  )
}
