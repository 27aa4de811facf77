/** Several of many: check boxes in a box of its own that scrolls, with a search field when there are more than a few. */
import { useState, type ReactNode } from 'react'
import styles from './check-list.module.css'
import { Button } from './button.tsx'
import { hasEveryWord } from './has-every-word.ts'
import { Checkbox, Input } from './input.tsx'
import { VirtualList } from './virtual-list.tsx'

export interface CheckListOption {
  readonly value: string
  readonly label: string
  /** Shown beside the label, smaller; it finds the option as well. */
  readonly note?: string
  readonly disabled?: boolean
}

export interface CheckListProps {
  /** What is chosen, read out as the list's name: "Groups". */
  readonly label: string
  readonly options: readonly CheckListOption[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  /** Offers to choose and unchoose all that are shown. */
  readonly withAll?: boolean
}

const searchedFrom = 8
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
      {(options.length > searchedFrom || withAll) && (
        <div className={styles.tools}>
          {options.length > searchedFrom && <SearchField label={label} value={typed} onChange={setTyped} />}
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
        // Enter would send the form around the list.
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
