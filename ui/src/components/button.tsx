/** A button of the console. `danger` is for what destroys; there is one `primary` on a page or dialog. */
import type { ComponentPropsWithRef } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  /** Square, for a single icon; needs an `aria-label`. */
  readonly icon?: boolean
  /** Shows that its work is under way and takes no further press. */
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

/** The look of a button for a link or for the trigger of a menu or dialog. */
export function buttonClass(
  variant: NonNullable<ButtonProps['variant']> = 'secondary',
  { icon = false, className }: { readonly icon?: boolean; readonly className?: string | undefined } = {},
): string {
  return [styles.button, styles[variant], icon && styles.icon, className].filter(Boolean).join(' ')
}
