/** A card with a heading. */
import { useId, type ReactNode } from 'react'
import styles from './panel.module.css'

export interface PanelProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, actions, children }: PanelProps) {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.header}>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}
