/** A label for a state or kind. The text carries the meaning; the colour only supports it. */
import type { ReactNode } from 'react'
import styles from './badge.module.css'
import toneStyles from './tone.module.css'

export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger'

export function Badge({ tone = 'neutral', children }: { readonly tone?: BadgeTone; readonly children: ReactNode }) {
  return <span className={`${styles.badge} ${toneStyles[tone]}`}>{children}</span>
}
