/** How far something is. */
import styles from './progress.module.css'

export interface ProgressProps {
  /** What is under way, read out with it. */
  readonly label: string
  /** From 0 to 1; null = not known yet. */
  readonly value: number | null
}

export function Progress({ label, value }: ProgressProps) {
  return <progress className={styles.bar} aria-label={label} max={1} {...(value !== null && { value })} />
}
