/** What a long list is drawn with: it measures the items that are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { VirtualListProps } from './virtual-list.tsx'
import styles from './virtual-list.module.css'

const itemsAhead = 4

export function VirtualListBox(props: VirtualListProps) {
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
    // The box scrolls, so it must be reachable by keyboard.
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
