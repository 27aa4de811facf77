/**
 * A table for lists of any length. Only the visible rows are in the page; the next page of rows loads
 * before the reader reaches the end. It shows the columns that its width has room for, the important
 * ones first. A press on a header sorts: on the server where it can, else once all of a list is loaded. Arrow
 * keys, Home and End move, Space selects; Enter or a click opens.
 */
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  type ReactNode,
} from 'react'
import { Button } from './button.tsx'
import { fitColumns, type ColumnSize } from './fit-columns.ts'
import { countText } from './format.ts'
import { Icon } from './icon.tsx'
import { Checkbox } from './input.tsx'
import { nextOrder, sortRows, type SortOrder, type SortValue } from './sort-rows.ts'
import styles from './data-table.module.css'
import { scrollToRow, useVisibleRows } from './use-visible-rows.ts'
import { useWidth } from './use-width.ts'

export interface Column<Row> extends ColumnSize {
  readonly header: string
  /** The header is for screen readers only, for columns of buttons. */
  readonly headerHidden?: true
  readonly cell: (row: Row) => ReactNode
  /** `end` for numbers. */
  readonly align?: 'start' | 'end'
  /** What the column is sorted by. */
  readonly sortBy?: (row: Row) => SortValue
  /** The server's name for the order by this column. */
  readonly sortKey?: string
}

/** The order in which the server lists. The columns of a `SortOrder` are sort keys. */
export interface ServerSorting {
  readonly order: SortOrder | null
  readonly onChange: (order: SortOrder | null) => void
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
  /** Loads all further pages; with it a selection can take the whole list. */
  readonly onLoadAll?: () => Promise<void>
  readonly sorting?: ServerSorting
  /** Called with the indexes of the first and last visible row, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
}

const rowHeight = 44
const checkWidth = 40
/** Invisible rows that stay in the page above and below the visible rows. */
const rowsAround = 4
/** The next page loads when fewer rows than this are below. */
const rowsAhead = 30

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rowId, selection, onOpen, hasMore = false } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const focusRow = useRowFocus(scroller)
  const { columns, width } = useFittingColumns(props.columns, useWidth(scroller) - (selection ? checkWidth : 0))
  const { rows, order, onSort } = useSortedRows(props)
  const { first, end } = useVisibleRows(scroller, rows.length, { rowHeight, around: rowsAround })
  // Only the props that cells need: a new page of rows must not render existing rows again.
  const cellProps = { columns, rowId, rowName: props.rowName, ...(selection && { selection }) }
  useVisibleRange(first, end, props)
  // Tab must lead into the table even when the focused row has been scrolled away.
  const tabStop = Math.max(first, Math.min(active, end - 1))

  function onKeyDown(event: KeyboardEvent<HTMLTableRowElement>, index: number): void {
    if (event.target !== event.currentTarget) return
    const row = rows[index]
    const target = rowAfter(event.key, index, rows.length)
    if (target !== null) {
      setActive(target)
      scrollToRow(scroller.current, target, rowHeight)
      focusRow(target)
    } else if (event.key === ' ' && selection !== undefined && row !== undefined) toggle(selection, rowId(row))
    else if (event.key === 'Enter' && onOpen !== undefined && row !== undefined) onOpen(row)
    else return
    event.preventDefault()
  }

  return (
    <div>
      <SelectRest {...props} />
      <div ref={scroller} className={styles.scroller}>
        <table style={{ minWidth: width }} aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
          <HeadRow {...props} columns={columns} rows={rows} order={order} onSort={onSort} />
          <tbody>
            <Spacer height={first * rowHeight} />
            {rows.slice(first, end).map((row, offset) => {
              const index = first + offset
              const id = rowId(row)
              return (
                <tr
                  key={id}
                  data-index={index}
                  aria-rowindex={index + 2}
                  aria-selected={selection?.selected.has(id)}
                  tabIndex={index === tabStop ? 0 : -1}
                  className={onOpen === undefined ? styles.row : `${styles.row} ${styles.opens}`}
                  onFocus={() => setActive(index)}
                  onKeyDown={(event) => onKeyDown(event, index)}
                  onClick={(event) => {
                    if (isOnRow(event)) onOpen?.(row)
                  }}
                >
                  <RowCells row={row} {...cellProps} />
                </tr>
              )
            })}
            <Spacer height={(rows.length - end) * rowHeight} />
          </tbody>
        </table>
      </div>
      <p className={styles.count}>{rowCountText(rows.length, hasMore)}</p>
    </div>
  )
}

/** Focuses a row: at once, or with the render that brings it into the page. */
function useRowFocus(scroller: RefObject<HTMLElement | null>): (index: number) => void {
  const wanted = useRef<number | null>(null)
  const focus = useCallback(() => {
    if (wanted.current === null) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (row === null || row === undefined) return
    wanted.current = null
    row.focus()
  }, [scroller])
  useEffect(focus)
  return useCallback(
    (index) => {
      wanted.current = index
      focus()
    },
    [focus],
  )
}

/** Loads the next page of rows when the last visible one is near the end, and tells which rows are visible. */
function useVisibleRange<Row>(
  first: number,
  end: number,
  { rows, hasMore = false, onEndNear, onRange }: DataTableProps<Row>,
): void {
  const endIsNear = hasMore && end > first && end > rows.length - rowsAhead
  useEffect(() => {
    if (endIsNear) onEndNear?.()
  }, [endIsNear, onEndNear, rows.length])
  useEffect(() => {
    if (end > first) onRange?.(first, end - 1)
  }, [first, end, onRange])
}

/** The columns that fit, each with the width that it gets, and the width of all of them. */
function useFittingColumns<Row>(columns: readonly Column<Row>[], room: number) {
  return useMemo(() => {
    const widths = fitColumns(columns, room)
    const fitting = columns.flatMap((column) => {
      const min = widths.get(column.id)
      return min === undefined ? [] : [{ ...column, min }]
    })
    return { columns: fitting, width: fitting.reduce((sum, { min }) => sum + min, 0) }
  }, [columns, room])
}

/** The rows in the order that the reader chose. Pages of a list come in the server's order, which stays unless it sorts. */
function useSortedRows<Row>({ rows, columns, hasMore = false, sorting }: DataTableProps<Row>) {
  const [chosen, setOrder] = useState<SortOrder | null>(null)
  const order = sorting?.order ?? (hasMore || sorting !== undefined ? null : chosen)
  const sortBy = columns.find(({ id }) => id === order?.column)?.sortBy
  const sorted = useMemo(
    () =>
      order === null || sortBy === undefined || sorting !== undefined ? rows : sortRows(rows, sortBy, order.descending),
    [rows, sortBy, order, sorting],
  )
  const change = sorting?.onChange
  const onSort = useCallback(
    (id: string) => (change === undefined ? setOrder((before) => nextOrder(before, id)) : change(nextOrder(order, id))),
    [change, order],
  )
  return { rows: sorted, order, onSort }
}

/** A click on a cell without controls, not at the end of marking text. A menu that opens under the pointer moves its click to the cell. */
function isOnRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false
  const cell = target.closest('td')
  return cell !== null && cell.querySelector('a, button, input') === null && getSelection()?.isCollapsed !== false
}

/** Once all loaded rows are selected, the rest of a longer list can be. */
function SelectRest<Row>({ rows, rowId, selection, hasMore = false, onLoadAll }: DataTableProps<Row>) {
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle')
  const isWhole = rows.length > 0 && selection?.selected.size === rows.length
  const latest = useRef({ rows, selection })
  useEffect(() => {
    latest.current = { rows, selection }
  })
  if (selection === undefined || onLoadAll === undefined) return null
  if (state !== 'loading' && !(hasMore && isWhole)) return null
  async function takeAll(load: () => Promise<void>): Promise<void> {
    setState('loading')
    try {
      await load()
      // The rows of the last page are drawn.
      await new Promise((done) => requestAnimationFrame(done))
      latest.current.selection?.onChange(new Set(latest.current.rows.map(rowId)))
      setState('idle')
    } catch {
      setState('failed')
    }
  }
  return (
    <div className={styles.rest} role="status">
      {state === 'loading'
        ? `${countText(rows.length, 'row')} loaded…`
        : `The ${countText(rows.length, 'loaded row')} are selected; there are more.`}
      {state === 'failed' && ' The others could not be loaded.'}
      {state !== 'loading' && <Button onClick={() => void takeAll(onLoadAll)}>Select all of the list</Button>}
    </div>
  )
}

function rowCountText(count: number, hasMore: boolean): string {
  const text = countText(count, 'row')
  return hasMore ? `${text} loaded; more load as you scroll` : text
}

/** Scrolling renders the table at each frame; the header and the rows that stay visible are not rendered again. */
const HeadRow = memo(PlainHeadRow) as typeof PlainHeadRow
const RowCells = memo(PlainRowCells) as typeof PlainRowCells

interface HeadRowProps<Row> extends DataTableProps<Row> {
  readonly order: SortOrder | null
  readonly onSort: (column: string) => void
}

function PlainHeadRow<Row>(props: HeadRowProps<Row>) {
  const { columns, rows, rowId, selection, hasMore = false, order, onSort, sorting } = props
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
          <th
            key={column.id}
            scope="col"
            className={cellClass(column)}
            style={{ width: column.min }}
            aria-sort={
              order?.column === orderName(column, sorting) ? (order.descending ? 'descending' : 'ascending') : undefined
            }
          >
            {orderName(column, sorting) === null || (hasMore && sorting === undefined) ? (
              <span className={column.headerHidden && 'visually-hidden'}>{column.header}</span>
            ) : (
              <button
                type="button"
                className={styles.sort}
                onClick={() => onSort(orderName(column, sorting) ?? column.id)}
              >
                {column.header}
                {order?.column === orderName(column, sorting) && (
                  <Icon name={order.descending ? 'chevron' : 'up'} size={12} />
                )}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** What the order by this column is called; null for a column that cannot be sorted. */
function orderName<Row>({ id, sortBy, sortKey }: Column<Row>, sorting: ServerSorting | undefined): string | null {
  if (sorting !== undefined) return sortKey ?? null
  return sortBy === undefined ? null : id
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

/** Takes the place of the rows that are not in the page. */
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

function cellClass({ align }: Pick<Column<never>, 'align'>): string | undefined {
  return align === 'end' ? styles.end : undefined
}
