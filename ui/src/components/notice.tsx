/** A coloured box with a message. */
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './notice.module.css'
import toneStyles from './tone.module.css'

export type NoticeTone = 'neutral' | 'success' | 'warning' | 'danger'

export interface NoticeProps {
  readonly tone: NoticeTone
  /** Screen readers announce `alert` at once and `status` in the next pause. */
  readonly role?: 'alert' | 'status'
  readonly children: ReactNode
}

const icons: Readonly<Partial<Record<NoticeTone, IconName>>> = {
  success: 'check',
  warning: 'warning',
  danger: 'warning',
}

export function Notice({ tone, role, children }: NoticeProps) {
  const icon = icons[tone]
  return (
    <div role={role} className={`${styles.notice} ${toneStyles[tone]}`}>
      {icon !== undefined && <Icon name={icon} />}
      <div className={styles.text}>{children}</div>
    </div>
  )
}
