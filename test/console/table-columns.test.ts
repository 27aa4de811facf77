/** Which columns of a table are shown at which width, and in which order its rows stand. */
import { describe, expect, test } from 'bun:test'
import { fitColumns, type ColumnSize } from '../../ui/src/components/fit-columns.ts'
import { nextOrder, sortRows } from '../../ui/src/components/sort-rows.ts'

const columns: readonly ColumnSize[] = [
  { id: 'name', min: 200, narrow: 120, grow: 2 },
  { id: 'first', min: 100, priority: 1 },
  { id: 'third', min: 60, priority: 3 },
  { id: 'second', min: 150, grow: 1, priority: 2 },
  { id: 'menu', min: 60 },
]

describe('the columns of a table', () => {
  test('at every width, columns fill it, none is below its least width, and the important ones come first', () => {
    let before = 0
    for (let width = 180; width <= 2000; width += 1) {
      const shown = fitColumns(columns, width)
      const ids = [...shown.keys()]
      expect(ids).toEqual(columns.map(({ id }) => id).filter((id) => shown.has(id)))
      expect(shown.has('name') && shown.has('menu')).toBe(true)
      expect(shown.has('second') ? shown.has('first') : true).toBe(true)
      expect(shown.has('third') ? shown.has('second') : true).toBe(true)
      expect([...shown.values()].reduce((sum, each) => sum + each, 0)).toBeCloseTo(width, 5)
      for (const { id, min, narrow = min, priority } of columns)
        if (shown.has(id)) expect(shown.get(id)).toBeGreaterThanOrEqual(priority === undefined ? narrow : min)
      expect(ids.length).toBeGreaterThanOrEqual(before)
      before = ids.length
    }
    expect(before).toBe(columns.length)
  })

  test('a width that is too small for what is always shown gets exactly that', () => {
    expect([...fitColumns(columns, 0)]).toEqual([
      ['name', 120],
      ['menu', 60],
    ])
  })
})

describe('the order of rows', () => {
  const rows = [{ at: 2 }, { at: null }, { at: 10 }, { at: 1 }]

  test('numbers are sorted as numbers, names as people count; unknown values stand last in both directions', () => {
    expect(sortRows(rows, ({ at }) => at, false).map(({ at }) => at)).toEqual([1, 2, 10, null])
    expect(sortRows(rows, ({ at }) => at, true).map(({ at }) => at)).toEqual([10, 2, 1, null])
    expect(sortRows(['gpt-10', 'Gpt-2', 'claude'], (name) => name, false)).toEqual(['claude', 'Gpt-2', 'gpt-10'])
  })

  test('presses on one header sort up, down, and back; another header begins again', () => {
    const up = nextOrder(null, 'name')
    expect(up).toEqual({ column: 'name', descending: false })
    expect(nextOrder(up, 'name')).toEqual({ column: 'name', descending: true })
    expect(nextOrder({ column: 'name', descending: true }, 'name')).toBeNull()
    expect(nextOrder(up, 'at')).toEqual({ column: 'at', descending: false })
  })
})
