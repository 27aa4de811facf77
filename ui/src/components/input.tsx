/** Form controls. A Field labels the control inside it; elsewhere, pass an `aria-label`. */
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { useFieldControl } from './field.tsx'
import { Icon } from './icon.tsx'
import styles from './input.module.css'

export function Input({ className, ...rest }: ComponentPropsWithRef<'input'>) {
  return <input {...useFieldControl()} {...rest} className={joined(styles.control, className)} />
}

export function Textarea({ className, ...rest }: ComponentPropsWithRef<'textarea'>) {
  return (
    <textarea rows={3} {...useFieldControl()} {...rest} className={joined(styles.control, styles.area, className)} />
  )
}

/** The platform's select element, which works with every keyboard, screen reader and phone. */
export function Select({ className, ...rest }: ComponentPropsWithRef<'select'>) {
  return (
    <span className={styles.selectBox}>
      <select {...useFieldControl()} {...rest} className={joined(styles.control, styles.select, className)} />
      <Icon name="chevron" />
    </span>
  )
}

interface CheckboxProps extends Omit<ComponentPropsWithRef<'input'>, 'type'> {
  readonly label: ReactNode
  /** Some of the items are chosen, but not all. */
  readonly indeterminate?: boolean
  readonly labelHidden?: boolean
}

export function Checkbox({ label, labelHidden = false, indeterminate = false, ...rest }: CheckboxProps) {
  return (
    <label className={styles.choice}>
      <input
        {...rest}
        type="checkbox"
        ref={(element) => {
          if (element !== null) element.indeterminate = indeterminate
        }}
      />
      <span className={labelHidden ? 'visually-hidden' : undefined}>{label}</span>
    </label>
  )
}

function joined(...names: readonly (string | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
