/** What a combobox is drawn with: the button, and the list with its search field, which is open from the first. */
import { Combobox as Base } from '@base-ui/react/combobox'
import { useState } from 'react'
import { buttonClass } from './button.tsx'
import type { ComboboxOption, ComboboxProps } from './combobox.tsx'
import styles from './combobox.module.css'
import popupStyles from './popup.module.css'
import { useFieldControl } from './field.tsx'
import { hasEveryWord } from './has-every-word.ts'
import { Icon } from './icon.tsx'

/** Longer lists are slow to draw and too long to scroll through. */
const shownMax = 200

export function ComboboxList(props: ComboboxProps) {
  const { label, options, value, onChange, placeholder = 'Choose…', onSearch, note } = props
  // The list is rendered beside its button, inside the same landmark for screen readers.
  const [container, setContainer] = useState<HTMLElement | null>(null)
  const { id, 'aria-describedby': describedBy } = useFieldControl()
  const [typed, setTyped] = useState('')
  const chosen = options.find((option) => option.value === value) ?? (value === null ? null : { value })
  const matching = onSearch === undefined ? options.filter((option) => matches(option, typed)) : options
  const footnote =
    matching.length > shownMax ? `The first ${shownMax} of ${matching.length}. Type to find others.` : note
  return (
    <Base.Root<ComboboxOption>
      defaultOpen
      items={matching.slice(0, shownMax)}
      value={chosen}
      onValueChange={(next) => {
        if (next !== null) onChange(next.value)
      }}
      itemToStringLabel={(option) => option.value}
      isItemEqualToValue={(a, b) => a.value === b.value}
      // The component filters, so that it knows the number of matches.
      filter={null}
      onInputValueChange={(text) => {
        // The library reports the current value when the list opens; that is not a search.
        const search = text === value ? '' : text
        setTyped(search)
        onSearch?.(search)
      }}
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
          <Base.Positioner className={popupStyles.positioner} positionMethod="fixed" sideOffset={4} align="start">
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
              {footnote !== undefined && <p className={styles.footnote}>{footnote}</p>}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
        <span ref={setContainer} />
      </div>
    </Base.Root>
  )
}

function matches({ value, note = '', keywords = [] }: ComboboxOption, typed: string): boolean {
  return hasEveryWord([value, note, ...keywords], typed)
}
