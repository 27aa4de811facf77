/** Which rows of a scrolling box are in the page, for rows of one height. Lists whose items differ in height are a VirtualList. */
import { useLayoutEffect, useState, type RefObject } from 'react'

export interface RowWindow {
  readonly rowHeight: number
  /** Invisible rows that stay in the page above and below the visible rows. */
  readonly around: number
}

export interface VisibleRows {
  /** The indexes of the first row in the page and of the row after the last one. */
  readonly first: number
  readonly end: number
}

/** The rows in the page. It renders again only when they change, not with every scrolled pixel. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  { rowHeight, around }: RowWindow,
): VisibleRows {
  const [{ top, height }, setView] = useState({ top: 0, height: 0 })
  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    const read = (): void =>
      setView((before) => {
        // In whole rows: less would change nothing.
        const view = { top: Math.floor(box.scrollTop / rowHeight), height: Math.ceil(box.clientHeight / rowHeight) }
        return view.top === before.top && view.height === before.height ? before : view
      })
    read()
    const resized = new ResizeObserver(read)
    resized.observe(box)
    box.addEventListener('scroll', read, { passive: true })
    return () => {
      resized.disconnect()
      box.removeEventListener('scroll', read)
    }
  }, [scroller, rowHeight])
  if (height === 0) return { first: 0, end: 0 }
  // A list that has become shorter is still scrolled to where it was.
  const first = Math.max(0, Math.min(top, count - height) - around)
  return { first, end: Math.min(count, top + height + 1 + around) }
}

/** Scrolls a row into view, by as little as possible. */
export function scrollToRow(box: HTMLElement | null, index: number, rowHeight: number): void {
  if (box === null) return
  const start = index * rowHeight
  if (start < box.scrollTop) box.scrollTop = start
  else if (start + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = start + rowHeight - box.clientHeight
}
