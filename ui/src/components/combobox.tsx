/**
 * A choice of one of many options: a button that opens a list with a search field. What draws the list loads when the first
 * one is opened, or before that by `preload`.
 */
import { useState } from 'react'
import { buttonClass } from './button.tsx'
import styles from './combobox.module.css'
import { useFieldControl } from './field.tsx'
import { Icon } from './icon.tsx'
import { LatePart } from './late-part.tsx'
import { lazyPart } from './lazy-part.tsx'

export interface ComboboxOption {
  readonly value: string
  /** Shown beside the value, smaller. */
  readonly note?: string
  /** Other words that the search finds the option by. */
  readonly keywords?: readonly string[]
}

export interface ComboboxProps {
  /** The noun for an option: "Model". */
  readonly label: string
  readonly options: readonly ComboboxOption[]
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  /** Called with the typed text when the caller does the search; the options are then shown unfiltered. */
  readonly onSearch?: (typed: string) => void
  /** Text below the options, for example that there are more. */
  readonly note?: string | undefined
}

const ComboboxList = lazyPart(() => import('./combobox-list.tsx'), 'ComboboxList')

export function Combobox(props: ComboboxProps) {
  const [asked, setAsked] = useState(false)
  const button = <ClosedCombobox {...props} onOpen={() => setAsked(true)} />
  if (!asked) return button
  return (
    <LatePart onClose={() => setAsked(false)} whileLoading={button}>
      <ComboboxList {...props} />
    </LatePart>
  )
}

Combobox.preload = ComboboxList.preload

function ClosedCombobox({
  label,
  value,
  placeholder = 'Choose…',
  onOpen,
}: ComboboxProps & { readonly onOpen: () => void }) {
  const { id, 'aria-describedby': describedBy } = useFieldControl()
  return (
    <div className={styles.root}>
      <button
        type="button"
        role="combobox"
        aria-haspopup="dialog"
        aria-expanded={false}
        id={id}
        aria-describedby={describedBy}
        aria-label={label}
        className={buttonClass('secondary', { className: styles.trigger })}
        onClick={onOpen}
        onPointerEnter={() => void ComboboxList.preload()}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          onOpen()
        }}
      >
        <span className={value === null ? styles.placeholder : styles.value}>{value ?? placeholder}</span>
        <Icon name="chevron" />
      </button>
    </div>
  )
}
