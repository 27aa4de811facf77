/** A switch that takes effect at once. */
import styles from './switch.module.css'
import { useFieldControl } from './field.tsx'

export interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  /** The label is for screen readers only. */
  readonly labelHidden?: boolean
}

export function Switch({ label, checked, onChange, disabled = false, labelHidden = false }: SwitchProps) {
  const { 'aria-describedby': describedBy } = useFieldControl()
  return (
    <label className={styles.switch}>
      <input
        type="checkbox"
        role="switch"
        aria-describedby={describedBy}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={labelHidden ? 'visually-hidden' : undefined}>{label}</span>
    </label>
  )
}
