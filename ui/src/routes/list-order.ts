/** The order of a list that the server sorts, between the address of a page and the header of its table. */
import type { ServerSorting } from '../components/data-table.tsx'
import type { OrderSearch } from './search.ts'

/** What the headers of the table show and change. */
export function sortingOf<By extends string>(
  orders: readonly By[],
  { sort, desc }: OrderSearch<By>,
  onChange: (order: OrderSearch<By>) => void,
): ServerSorting {
  return {
    order: sort === undefined ? null : { column: sort, descending: desc === true },
    onChange: (next) =>
      onChange({
        sort: orders.find((each) => each === next?.column),
        desc: next?.descending === true ? true : undefined,
      }),
  }
}

/** The order as query parameters of the server. */
export function orderOnWire<By extends string>({ sort, desc }: OrderSearch<By>) {
  if (sort === undefined) return {}
  return { sort, order: desc === true ? ('desc' as const) : ('asc' as const) }
}
