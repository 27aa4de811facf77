/** A filter by one of many values, above a list. Apart from the others: few pages need what it is made of. */
import { Combobox, type ComboboxProps } from './combobox.tsx'
import type { FilterProps } from './filter-form.tsx'
import styles from './filter-form.module.css'

export interface ComboboxFilterProps extends FilterProps, Pick<ComboboxProps, 'options' | 'onSearch' | 'note'> {
  /** The choice that filters nothing: "All users". */
  readonly all: string
}

/** Filters by one of many values. */
export function ComboboxFilter({ all, options, value, onChange, ...rest }: ComboboxFilterProps) {
  return (
    <div className={styles.choice}>
      <Combobox
        {...rest}
        options={[{ value: all }, ...options]}
        value={value ?? all}
        onChange={(chosen) => onChange(chosen === all ? undefined : chosen)}
      />
    </div>
  )
}
