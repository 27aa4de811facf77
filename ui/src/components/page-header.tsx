/** The top of a page: its one h1, a sentence, and its main actions. Also names the browser's tab. */
import { useEffect, type ReactNode } from 'react'
import styles from './page-header.module.css'

export interface PageHeaderProps {
  readonly title: string
  readonly description?: string
  /** A link to the list that the page is a part of. */
  readonly back?: ReactNode
  readonly actions?: ReactNode
}

export function PageHeader({ title, description, back, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        {back !== undefined && <p className={styles.back}>{back}</p>}
        <h1>{title}</h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}
