/** Tiles with single numbers, and the grids of tiles and charts. */
import type { ReactNode } from 'react'
import { percentText, wholeText } from './format.ts'
import styles from './tile.module.css'

export interface TileProps {
  readonly name: string
  readonly value: string
  readonly note?: string
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

/** The tiles for requests and errors, followed by the page's own tiles. */
export function RequestTiles({
  totals,
  children,
}: {
  readonly totals: { readonly requests: number; readonly errors: number }
  readonly children: ReactNode
}) {
  const { requests, errors } = totals
  return (
    <Tiles>
      <Tile name="Requests" value={wholeText(requests)} />
      <Tile name="Errors" value={wholeText(errors)} note={percentText(errors / requests)} />
      {children}
    </Tiles>
  )
}

export function Tiles({ children }: { readonly children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>
}

export function ChartGrid({ children }: { readonly children: ReactNode }) {
  return <div className={styles.charts}>{children}</div>
}
