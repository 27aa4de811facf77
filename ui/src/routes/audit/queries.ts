/** The query of the page of the audit log. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { AuditSearch } from '../search.ts'
import { rangeOf } from '../time-range.ts'

/** The time range of an address that names none. */
export const standardSpan = 'month'

/** Rows in pages, the newest first. The list changes only when the reader presses Refresh: rows that move cannot be read. */
export function auditQuery({ span = standardSpan, from, to, actor, record, outcome }: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: [...resource.audit, { span, from, to, actor, record, outcome }],
    queryFn: ({ pageParam, signal }) => {
      const range = rangeOf({ span, from, to }, Date.now())
      const query = {
        limit: 100,
        since: new Date(range.from).toISOString(),
        ...(span === 'custom' && { until: new Date(range.to).toISOString() }),
        ...(actor !== undefined && { actor }),
        ...(record !== undefined && { record }),
        ...(outcome !== undefined && { outcome }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return api('GET /admin/api/v1/audit', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}
