/** Lists and times as OpenAI's API writes them. */
import type { Page } from './queries.ts'

export interface OpenAiList<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly last_id: string | null
}

/** A list as a page of the console. */
export function pageOfOpenAi<Item>({ data, has_more: hasMore, last_id: last }: OpenAiList<Item>): Page<Item> {
  return { data, next_cursor: hasMore ? last : null }
}
