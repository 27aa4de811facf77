/**
 * A list of any length whose items are as high as what they hold: only those in sight are in the
 * page. It scrolls in a box of its own.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'
import styles from './virtual-list.module.css'

export interface VirtualListProps {
  /** Read out as the list's name. */
  readonly label: string
  readonly count: number
  readonly item: (index: number) => ReactNode
  /** A guess at the height of an item, in pixels; each is measured once it is in the page. */
  readonly estimateHeight: number
  /** The item to bring into sight, whenever this changes. */
  readonly scrollTo?: number | undefined
  /** Told the places of the first and last item that are in the page, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
  readonly size?: 'small' | 'page'
}

const itemsAhead = 4

export function VirtualList(props: VirtualListProps) {
  const { label, count, item, estimateHeight, scrollTo, onRange, size = 'page' } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimateHeight,
    overscan: itemsAhead,
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index
  const last = items.at(-1)?.index
  useEffect(() => {
    if (first !== undefined && last !== undefined) onRange?.(first, last)
  }, [first, last, onRange])
  useEffect(() => {
    if (scrollTo === undefined || scrollTo >= count) return
    scroller.current?.scrollIntoView({ block: 'nearest' })
    virtualizer.scrollToIndex(scrollTo, { align: 'start' })
  }, [scrollTo, count, virtualizer])
  return (
    // Scrolls, so the keyboard has to reach it.
    <div ref={scroller} tabIndex={0} role="region" aria-label={label} className={`${styles.scroller} ${styles[size]}`}>
      <ol className={styles.list} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <li
            key={index}
            ref={virtualizer.measureElement}
            data-index={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            className={styles.item}
            style={{ transform: `translateY(${start}px)` }}
          >
            {item(index)}
          </li>
        ))}
      </ol>
    </div>
  )
}
