/** The name in a table's row: a button that opens the row, with a badge beside it or a second line below it. */
import type { ReactNode } from 'react'
import styles from './row-name.module.css'

export interface RowNameProps {
  readonly name: string
  readonly onOpen: () => void
  /** Shown beside the name. */
  readonly badge?: ReactNode
  /** Shown below the name, smaller. */
  readonly detail?: string
}

export function RowName({ name, onOpen, badge, detail = '' }: RowNameProps) {
  return (
    <span className={styles.cell} title={name}>
      <span className={styles.line}>
        <button type="button" className={styles.name} onClick={onOpen}>
          {name}
        </button>
        {badge}
      </span>
      {detail !== '' && <span className={styles.detail}>{detail}</span>}
    </span>
  )
}
