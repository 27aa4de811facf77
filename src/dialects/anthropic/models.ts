/**
 * The list of models for callers that send `anthropic-version`.
 * Shape: https://platform.claude.com/docs/en/api/models-list
 */
import { ApiError } from '#errors/api-error.ts'

/** A model of the list. */
export interface ListedModel {
  readonly id: string
  /** The name for people; the id when absent. */
  readonly displayName?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

const limitDefault = 20
const limitMax = 1000

/** One page of models, in the given order. `query` may hold `limit`, `after_id` and `before_id`. */
export function modelPage(models: readonly ListedModel[], query: URLSearchParams): object {
  const limit = limitOf(query.get('limit'))
  const after = query.get('after_id')
  const before = query.get('before_id')
  if (after !== null && before !== null) {
    throw new ApiError('invalid_query_parameter', {
      param: 'before_id',
      message: 'Send "after_id" or "before_id", not both.',
    })
  }
  const first = after === null ? 0 : positionOf(models, after, 'after_id') + 1
  const end = before === null ? models.length : positionOf(models, before, 'before_id')
  // With `before_id`, the page ends where the caller's page begins.
  const page = before === null ? models.slice(first, first + limit) : models.slice(Math.max(0, end - limit), end)
  return {
    data: page.map(modelObject),
    has_more: end - first > page.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** One model. */
export function modelObject({ id, displayName, createdAt }: ListedModel): object {
  return { type: 'model', id, display_name: displayName ?? id, created_at: new Date(createdAt).toISOString() }
}

function limitOf(value: string | null): number {
  if (value === null) return limitDefault
  const limit = /^\d+$/u.test(value) ? Number(value) : 0
  if (limit >= 1 && limit <= limitMax) return limit
  throw new ApiError('invalid_query_parameter', {
    param: 'limit',
    message: `"limit" must be a whole number from 1 to ${limitMax}.`,
  })
}

function positionOf(models: readonly ListedModel[], id: string, param: string): number {
  const position = models.findIndex((model) => model.id === id)
  if (position < 0) throw new ApiError('invalid_cursor', { param })
  return position
}
