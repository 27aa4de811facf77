/** The name in a table's cell. It wraps before it is cut. As the row's name it is a button or a link that opens the row. */
import { cloneElement, type ReactElement, type ReactNode } from 'react'
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

export interface RowLinkProps extends Pick<RowNameProps, 'name' | 'badge' | 'detail'> {
  /** A link without content. */
  readonly children: ReactElement<Record<string, unknown>>
}

/** The name of a row that has a page of its own. */
export function RowLink({ name, badge, detail = '', children }: RowLinkProps) {
  const className = detail === '' ? `${styles.name} ${styles.alone}` : styles.name
  return (
    <span className={styles.cell} title={name}>
      <span className={styles.line}>
        {cloneElement(children, { className, 'data-name': true, children: name })}
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
