/**
 * A scrolling list of any length, whose items have different heights. Only the visible items are in the page. What draws it
 * loads with the first list.
 */
import type { ReactNode } from 'react'
import { LatePart } from './late-part.tsx'
import { lazyPart } from './lazy-part.tsx'
import styles from './virtual-list.module.css'

export interface VirtualListProps {
  /** The name of the list for screen readers. */
  readonly label: string
  readonly count: number
  readonly item: (index: number) => ReactNode
  /** The expected height of an item in pixels. Each item is measured when it is in the page. */
  readonly estimateHeight: number
  /** The item to scroll to, whenever this changes. */
  readonly scrollTo?: number | undefined
  /** Called with the indexes of the first and last visible item, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
  readonly size?: 'small' | 'page'
}

const VirtualListBox = lazyPart(() => import('./virtual-list-box.tsx'), 'VirtualListBox')

export function VirtualList(props: VirtualListProps) {
  // The empty box keeps the place, so that nothing below it moves.
  return (
    <LatePart whileLoading={<div className={`${styles.scroller} ${styles[props.size ?? 'page']}`} />}>
      <VirtualListBox {...props} />
    </LatePart>
  )
}
