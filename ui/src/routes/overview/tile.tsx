/** One number with its name. */
import styles from './tile.module.css'

export function Tile({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <dl className={styles.tile}>
      <dt className={styles.name}>{name}</dt>
      <dd className={styles.value}>{value}</dd>
      {note !== undefined && <dd className={styles.note}>{note}</dd>}
    </dl>
  )
}
