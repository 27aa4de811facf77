/** Pages of items, as the Responses API and its conversations list them. */
import { ApiError } from '#errors/api-error.ts'

export interface ItemPage {
  readonly limit: number
  readonly descending: boolean
  /** The id of the item before the page, in its order. */
  readonly after: string | null
}

interface Listed {
  readonly id?: unknown
}

const limitDefault = 20
const limitMax = 100

/** The page that a query asks for. Answers 400 by throwing. */
export function pageOf(query: URLSearchParams): ItemPage {
  const limit = query.get('limit') ?? String(limitDefault)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > limitMax)
    throw invalid('limit', `"limit" must be a whole number from 1 to ${limitMax}.`)
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw invalid('order', '"order" takes asc or desc.')
  return { limit: Number(limit), descending: order === 'desc', after: query.get('after') }
}

/** That page of all items, which stand in their order. Answers 400 by throwing for an `after` that names none. */
export function listPage(items: readonly Listed[], { limit, descending, after }: ItemPage): object {
  const ordered = descending ? items.toReversed() : items
  const first = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && first === 0) throw unknownAfter()
  return pageObject(ordered.slice(first, first + limit + 1), limit)
}

/** The page of the items from its begin on, of which one more than `limit` is enough. */
export function pageObject(items: readonly Listed[], limit: number): object {
  const data = items.slice(0, limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  }
}

export function unknownAfter(): ApiError {
  return invalid('after', '"after" names no item of this list.')
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_query_parameter', { param, message })
}
