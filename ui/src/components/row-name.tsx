/** The name in a table's cell. It wraps before it is cut. As the row's name it is a button that opens the row. */
import type { ReactNode } from 'react'
import styles from './row-name.module.css'

export interface RowNameProps {
  readonly name: string
  readonly onOpen: () => void
  /** Shown beside the name. */
  readonly badge?: ReactNode
  /** Shown below the name, smaller, where the table is wide enough. */
  readonly detail?: string
}

export function RowName({ name, onOpen, badge, detail = '' }: RowNameProps) {
  return (
    <span className={styles.cell} title={name}>
      <span className={styles.line}>
        <button
          type="button"
          className={detail === '' ? `${styles.name} ${styles.alone}` : styles.name}
          onClick={onOpen}
          data-name
        >
          {name}
        </button>
        {badge}
      </span>
      {detail !== '' && <span className={styles.detail}>{detail}</span>}
    </span>
  )
}

export interface CellNameProps {
  readonly name: string
  /** Shown below the name, smaller, where the table is wide enough. */
  readonly detail?: ReactNode
  /** Shown on hover in place of the name. */
  readonly title?: string | undefined
}

/** A name that opens nothing, or stands inside what opens. */
export function CellName({ name, detail, title = name }: CellNameProps) {
  const alone = detail === undefined || detail === '' || detail === false
  return (
    <span className={styles.cell} title={title}>
      <span className={alone ? `${styles.text} ${styles.alone}` : styles.text} data-name>
        {name}
      </span>
      {!alone && <span className={styles.detail}>{detail}</span>}
    </span>
  )
}
