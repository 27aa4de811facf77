/** The items of a list that loads page by page as the reader scrolls. */
import { useInfiniteQuery, type InfiniteData, type QueryKey, type UseInfiniteQueryOptions } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Page } from './queries.ts'

type ListOptions<Item, Key extends QueryKey> = UseInfiniteQueryOptions<
  Page<Item>,
  Error,
  InfiniteData<Page<Item>>,
  Key,
  string | null
>

/** The query, the items of all loaded pages, and functions that load the next page and all further pages. */
export function useItems<Item, Key extends QueryKey>(options: ListOptions<Item, Key>) {
  const list = useInfiniteQuery(options)
  const { data, fetchNextPage, isFetchingNextPage } = list
  const items = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const fetchMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const fetchAll = useCallback(async () => {
    let { hasNextPage, error } = await fetchNextPage()
    while (hasNextPage && error === null) ({ hasNextPage, error } = await fetchNextPage())
    if (error !== null) throw error
  }, [fetchNextPage])
  return { list, items, fetchMore, fetchAll }
}
