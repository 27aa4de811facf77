/**
 * Follows documents while they are under way: one request for all of them, soon again while
 * something moves, ever later while nothing does, none once all have ended or the tab is hidden.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'
import { nextWaitMs, shortestWaitMs } from './follow-pace.ts'
import { dropDocuments, isUnfinished, putDocuments } from './queries.ts'

/** As many as one request may name. */
const followedMax = 200

/** Those of these documents that have not ended are kept up to date in every query that holds them. */
export function useFollowed(documents: readonly Document[]): void {
  const queryClient = useQueryClient()
  const pace = useRef({ waitMs: shortestWaitMs, seen: '' })
  const ids = documents
    .filter(isUnfinished)
    .slice(0, followedMax)
    .map(({ doc_id: id }) => id)
    .sort()
  useQuery({
    queryKey: [...resource.documents, 'followed', ...ids],
    queryFn: async ({ signal }) => {
      pace.current.waitMs = nextWaitMs(pace.current.waitMs, false)
      const query = { doc_id: ids.join(','), limit: Math.max(1, ids.length) }
      const { data } = await api('GET /api/v1/documents', { query, signal })
      const seen = JSON.stringify(
        data.map(({ doc_id: id, state, progress, attempts }) => [id, state, progress, attempts]),
      )
      if (seen !== pace.current.seen) pace.current = { waitMs: nextWaitMs(pace.current.waitMs, true), seen }
      putDocuments(queryClient, data)
      const there = new Set(data.map(({ doc_id: id }) => id))
      dropDocuments(queryClient, new Set(ids.filter((id) => !there.has(id))))
      return there.size
    },
    enabled: ids.length > 0,
    refetchInterval: () => pace.current.waitMs,
    gcTime: 0,
  })
}
