/** The top of a page: its one h1, a sentence, and its main actions. Also names the browser's tab. */
import { useEffect, type ReactNode } from 'react'
import styles from './page-header.module.css'

export interface PageHeaderProps {
  readonly title: string
  readonly description?: string
  readonly actions?: ReactNode
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        <h1>{title}</h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
