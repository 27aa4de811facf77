/**
 * A table for lists of any length. Only the visible rows are in the page; the next page of rows loads
 * before the reader reaches the end. Arrow keys, Home and End move, Space selects, Enter opens.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Checkbox } from './input.tsx'
import styles from './data-table.module.css'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** The header is for screen readers only, for columns of buttons. */
  readonly headerHidden?: true
  readonly cell: (row: Row) => ReactNode
  /** CSS width. Columns without a width share the rest. */
  readonly width?: string
  /** `end` for numbers. */
  readonly align?: 'start' | 'end'
  /** Hidden in tables narrower than 640 px (`small`) or 900 px (`medium`). */
  readonly hideBelow?: 'small' | 'medium'
}

export interface Selection {
  readonly selected: ReadonlySet<string>
  readonly onChange: (selected: ReadonlySet<string>) => void
}

export interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  /** The name of a row, for the label "Select …". */
  readonly rowName: (row: Row) => string
  readonly selection?: Selection
  readonly onOpen?: (row: Row) => void
  /** There is another page; `onEndNear` loads it. */
  readonly hasMore?: boolean
  readonly onEndNear?: () => void
  /** Called with the indexes of the first and last visible row, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
}

const rowHeight = 44
/** Invisible rows that stay in the page above and below the visible rows. */
const rowsAround = 4
/** The next page loads when fewer rows than this are below. */
const rowsAhead = 30

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowId, selection, onOpen, hasMore = false, onEndNear, onRange } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: rowsAround,
  })
  const items = virtualizer.getVirtualItems()
  // Only the props that cells need: a new page of rows must not render existing rows again.
  const cellProps = { columns: props.columns, rowId, rowName: props.rowName, ...(selection && { selection }) }
  const first = items[0]
  const last = items.at(-1)
  const endIsNear = hasMore && last !== undefined && last.index >= rows.length - rowsAhead
  useEffect(() => {
    if (endIsNear) onEndNear?.()
  }, [endIsNear, onEndNear, rows.length])
  const firstIndex = first?.index
  const lastIndex = last?.index
  // Tab must lead into the table even when the focused row has been scrolled away.
  const tabStop = Math.max(firstIndex ?? 0, Math.min(active, lastIndex ?? 0))
  useEffect(() => {
    if (firstIndex !== undefined && lastIndex !== undefined) onRange?.(firstIndex, lastIndex)
  }, [firstIndex, lastIndex, onRange])

  function onKeyDown(event: KeyboardEvent<HTMLTableRowElement>, index: number): void {
    if (event.target !== event.currentTarget) return
    const row = rows[index]
    const target = rowAfter(event.key, index, rows.length)
    if (target !== null) {
      setActive(target)
      virtualizer.scrollToIndex(target)
      // The row may not exist before the next render.
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus())
    } else if (event.key === ' ' && selection !== undefined && row !== undefined) toggle(selection, rowId(row))
    else if (event.key === 'Enter' && onOpen !== undefined && row !== undefined) onOpen(row)
    else return
    event.preventDefault()
  }

  return (
    <div ref={scroller} className={styles.scroller}>
      <table className={styles.table} aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <HeadRow {...props} />
        <tbody>
          <Spacer height={first?.start ?? 0} />
          {items.map(({ index }) => {
            const row = rows[index]
            if (row === undefined) return null
            const id = rowId(row)
            return (
              <tr
                key={id}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selection?.selected.has(id)}
                tabIndex={index === tabStop ? 0 : -1}
                className={styles.row}
                onFocus={() => setActive(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
              >
                <RowCells row={row} {...cellProps} />
              </tr>
            )
          })}
          <Spacer height={virtualizer.getTotalSize() - (last?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  )
}

/** Scrolling renders the table at each frame; the header and the rows that stay visible are not rendered again. */
const HeadRow = memo(PlainHeadRow) as typeof PlainHeadRow
const RowCells = memo(PlainRowCells) as typeof PlainRowCells

function PlainHeadRow<Row>({ columns, rows, rowId, selection, hasMore = false }: DataTableProps<Row>) {
  const chosen = selection === undefined ? 0 : rows.filter((row) => selection.selected.has(rowId(row))).length
  const all = rows.length > 0 && chosen === rows.length
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <th scope="col" className={styles.check}>
            <Checkbox
              label={hasMore ? `Select the ${rows.length} rows that are loaded` : 'Select all rows'}
              labelHidden
              checked={all}
              indeterminate={chosen > 0 && !all}
              onChange={() => selection.onChange(new Set(all ? [] : rows.map(rowId)))}
            />
          </th>
        )}
        {columns.map((column) => (
          <th key={column.id} scope="col" className={cellClass(column)} style={{ width: column.width }}>
            <span className={column.headerHidden && 'visually-hidden'}>{column.header}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

type RowCellsProps<Row> = Pick<DataTableProps<Row>, 'columns' | 'rowId' | 'rowName' | 'selection'> & {
  readonly row: Row
}

function PlainRowCells<Row>({ columns, rowId, rowName, selection, row }: RowCellsProps<Row>) {
  const id = rowId(row)
  return (
    <>
      {selection !== undefined && (
        <td className={styles.check}>
          <Checkbox
            label={`Select ${rowName(row)}`}
            labelHidden
            tabIndex={-1}
            checked={selection.selected.has(id)}
            onChange={() => toggle(selection, id)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {column.cell(row)}
        </td>
      ))}
    </>
  )
}

/** Takes the place of the rows that are not in the page. It has one cell: spanned columns would appear even when a narrow window hides them. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td className={styles.spacer} />
    </tr>
  )
}

function toggle({ selected, onChange }: Selection, id: string): void {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  onChange(next)
}

function rowAfter(key: string, index: number, count: number): number | null {
  const clamped = (target: number): number => Math.max(0, Math.min(count - 1, target))
  switch (key) {
    case 'ArrowDown':
      return clamped(index + 1)
    case 'ArrowUp':
      return clamped(index - 1)
    case 'PageDown':
      return clamped(index + 10)
    case 'PageUp':
      return clamped(index - 10)
    case 'Home':
      return 0
    case 'End':
      return clamped(count - 1)
    default:
      return null
  }
}

function cellClass({ align, hideBelow }: Pick<Column<never>, 'align' | 'hideBelow'>): string {
  return [align === 'end' && styles.end, hideBelow !== undefined && styles[hideBelow]].filter(Boolean).join(' ')
}
