/** One of many, found by typing: a button that shows the choice and opens a list with a search field. */
import { Combobox as Base } from '@base-ui/react/combobox'
import { useState } from 'react'
import { buttonClass } from './button.tsx'
import styles from './combobox.module.css'
import { useFieldControl } from './field.tsx'
import { Icon } from './icon.tsx'

export interface ComboboxOption {
  readonly value: string
  /** Shown beside the value, smaller. */
  readonly note?: string
  /** Other words that find it. */
  readonly keywords?: readonly string[]
}

export interface ComboboxProps {
  /** What is chosen: "Model". */
  readonly label: string
  readonly options: readonly ComboboxOption[]
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  /** Told what was typed, by whoever finds the options elsewhere: they are then shown as they come. */
  readonly onSearch?: (typed: string) => void
}

export function Combobox({ label, options, value, onChange, placeholder = 'Choose…', onSearch }: ComboboxProps) {
  // Beside the button, so that it belongs to the same part of the page for screen readers.
  const [container, setContainer] = useState<HTMLElement | null>(null)
  const { id, 'aria-describedby': describedBy } = useFieldControl()
  const chosen = options.find((option) => option.value === value) ?? (value === null ? null : { value })
  return (
    <Base.Root<ComboboxOption>
      items={options}
      value={chosen}
      onValueChange={(next) => {
        if (next !== null) onChange(next.value)
      }}
      itemToStringLabel={(option) => option.value}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={onSearch === undefined ? matches : null}
      {...(onSearch && { onInputValueChange: onSearch })}
      autoHighlight
    >
      <div className={styles.root}>
        <Base.Trigger
          id={id}
          aria-describedby={describedBy}
          aria-label={label}
          className={buttonClass('secondary', { className: styles.trigger })}
        >
          <span className={value === null ? styles.placeholder : styles.value}>{value ?? placeholder}</span>
          <Icon name="chevron" />
        </Base.Trigger>
        <Base.Portal container={container}>
          <Base.Positioner className={styles.positioner} positionMethod="fixed" sideOffset={4} align="start">
            <Base.Popup className={styles.popup} aria-label={label}>
              <Base.Input className={styles.input} placeholder="Search…" aria-label={`Search: ${label}`} />
              <Base.Empty className={styles.empty}>Nothing matches. Try fewer letters.</Base.Empty>
              <Base.List className={styles.list}>
                {(option: ComboboxOption) => (
                  <Base.Item key={option.value} value={option} className={styles.item}>
                    <span className={styles.check}>
                      <Base.ItemIndicator>
                        <Icon name="check" />
                      </Base.ItemIndicator>
                    </span>
                    <span className={styles.text}>
                      <span>{option.value}</span>
                      {option.note !== undefined && <span className={styles.note}>{option.note}</span>}
                    </span>
                  </Base.Item>
                )}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
        <span ref={setContainer} />
      </div>
    </Base.Root>
  )
}

/** Every word that was typed is somewhere in the option. */
function matches({ value, note = '', keywords = [] }: ComboboxOption, typed: string): boolean {
  const haystack = [value, note, ...keywords].join(' ').toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word))
}
