/** Shown in place of an empty list, with the next step. */
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './empty-state.module.css'

export interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
  /** A button or link for the next step. */
  readonly action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      <p className={styles.text}>{children}</p>
      {action}
    </div>
  )
}
