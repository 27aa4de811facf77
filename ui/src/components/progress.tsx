/** A progress bar. */
import styles from './progress.module.css'

export interface ProgressProps {
  /** The task, for screen readers. */
  readonly label: string
  /** From 0 to 1; null = unknown. */
  readonly value: number | null
}

export function Progress({ label, value }: ProgressProps) {
  return <progress className={styles.bar} aria-label={label} max={1} {...(value !== null && { value })} />
}
