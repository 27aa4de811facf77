/** Tiles with single numbers, and the grids of tiles and charts. */
import type { ReactNode } from 'react'
import styles from './tile.module.css'

export interface TileProps {
  /** A link in it takes a press anywhere on the tile. */
  readonly name: ReactNode
  readonly value: string
  readonly note?: string | undefined
}

export function Tile({ name, value, note }: TileProps) {
  return (
    <dl className={styles.tile}>
      <dt className={styles.name}>{name}</dt>
      <dd className={styles.value}>{value}</dd>
      {note !== undefined && <dd className={styles.note}>{note}</dd>}
    </dl>
  )
}

export function Tiles({ children }: { readonly children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>
}

export function ChartGrid({ children }: { readonly children: ReactNode }) {
  return <div className={styles.charts}>{children}</div>
}
