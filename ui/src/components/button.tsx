/** A button. `danger` is for actions that destroy data. A page or dialog has one `primary` button. */
import type { ComponentPropsWithRef } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  /** Square, for a single icon; needs an `aria-label`. */
  readonly icon?: boolean
  /** Its action is running: the button cannot be pressed again. */
  readonly busy?: boolean
}

export function Button({
  variant = 'secondary',
  icon = false,
  busy = false,
  className,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={buttonClass(variant, { icon, className })}
    />
  )
}

/** The class names of a button, for links and for triggers of menus. */
export function buttonClass(
  variant: NonNullable<ButtonProps['variant']> = 'secondary',
  { icon = false, className }: { readonly icon?: boolean; readonly className?: string | undefined } = {},
): string {
  return [styles.button, styles[variant], icon && styles.icon, className].filter(Boolean).join(' ')
}
