/** A scrolling list of checkboxes, with a search field when it is long. */
import { useState, type ReactNode } from 'react'
import styles from './check-list.module.css'
import { Button } from './button.tsx'
import { hasEveryWord } from './has-every-word.ts'
import { Checkbox, Input } from './input.tsx'
import { VirtualList } from './virtual-list.tsx'

export interface CheckListOption {
  readonly value: string
  readonly label: string
  /** Shown beside the label, smaller. The search covers it. */
  readonly note?: string
  readonly disabled?: boolean
}

export interface CheckListProps {
  /** The name of the list for screen readers: "Groups". */
  readonly label: string
  readonly options: readonly CheckListOption[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  /** Adds a button that chooses all visible options, or none. */
  readonly withAll?: boolean
}

const searchFrom = 8
const virtualFrom = 60
const rowHeight = 32

export function CheckList({ label, options, chosen, onChange, withAll = false }: CheckListProps) {
  const [typed, setTyped] = useState('')
  const shown = options.filter(({ label: text, note = '' }) => hasEveryWord([text, note], typed))
  const free = shown.filter(({ disabled }) => disabled !== true)
  const all = free.length > 0 && free.every(({ value }) => chosen.has(value))
  const toggle = (values: readonly string[], on: boolean): void => {
    const next = new Set(chosen)
    for (const value of values) {
      if (on) next.add(value)
      else next.delete(value)
    }
    onChange(next)
  }
  const row = (option: CheckListOption): ReactNode => (
    <div className={styles.row}>
      <Checkbox
        label={<OptionText {...option} />}
        checked={chosen.has(option.value)}
        disabled={option.disabled}
        onChange={(event) => toggle([option.value], event.target.checked)}
      />
    </div>
  )
  return (
    <div className={styles.block}>
      {(options.length > searchFrom || withAll) && (
        <div className={styles.tools}>
          {options.length > searchFrom && <SearchField label={label} value={typed} onChange={setTyped} />}
          {withAll && (
            <Button
              disabled={free.length === 0}
              onClick={() =>
                toggle(
                  free.map(({ value }) => value),
                  !all,
                )
              }
            >
              {all ? 'Choose none' : `Choose all ${free.length}`}
            </Button>
          )}
        </div>
      )}
      <div className={styles.box}>
        {shown.length > virtualFrom ? (
          <VirtualList
            label={label}
            size="small"
            count={shown.length}
            estimateHeight={rowHeight}
            item={(index) => {
              const option = shown[index]
              return option === undefined ? null : row(option)
            }}
          />
        ) : (
          <ul aria-label={label} className={styles.list}>
            {shown.map((option) => (
              <li key={option.value}>{row(option)}</li>
            ))}
          </ul>
        )}
        {shown.length === 0 && (
          <p className={styles.none}>{options.length === 0 ? 'There are none.' : 'Nothing matches.'}</p>
        )}
      </div>
    </div>
  )
}

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (typed: string) => void
}

function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <Input
      type="search"
      id={undefined}
      aria-label={`Search: ${label}`}
      placeholder="Search…"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        // Enter would submit the form around the list.
        if (event.key === 'Enter') event.preventDefault()
      }}
    />
  )
}

function OptionText({ label, note }: CheckListOption) {
  return (
    <>
      {label}
      {note !== undefined && <span className={styles.note}> {note}</span>}
    </>
  )
}
