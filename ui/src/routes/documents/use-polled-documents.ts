/**
 * Polls unfinished documents: one request for all of them, at short intervals during progress and
 * longer ones without. Polling ends when all have finished, and pauses while the tab is hidden.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'
import { nextPollMs, pollMsMin } from './poll-interval.ts'
import { removeDocuments, isUnfinished, updateDocuments } from './queries.ts'

/** The maximum number of documents in one request. */
const polledMax = 200

/** Refreshes the unfinished ones of these documents in every cached query. */
export function usePolledDocuments(documents: readonly Document[]): void {
  const queryClient = useQueryClient()
  const pace = useRef({ waitMs: pollMsMin, seen: '' })
  const ids = documents
    .filter(isUnfinished)
    .slice(0, polledMax)
    .map(({ doc_id: id }) => id)
    .sort()
  useQuery({
    queryKey: [...resource.documents, 'followed', ...ids],
    queryFn: async ({ signal }) => {
      pace.current.waitMs = nextPollMs(pace.current.waitMs, false)
      const query = { doc_id: ids.join(','), limit: Math.max(1, ids.length) }
      const { data } = await api('GET /api/v1/documents', { query, signal })
      const seen = JSON.stringify(
        data.map(({ doc_id: id, state, progress, attempts }) => [id, state, progress, attempts]),
      )
      if (seen !== pace.current.seen) pace.current = { waitMs: nextPollMs(pace.current.waitMs, true), seen }
      updateDocuments(queryClient, data)
      const existing = new Set(data.map(({ doc_id: id }) => id))
      removeDocuments(queryClient, new Set(ids.filter((id) => !existing.has(id))))
      return existing.size
    },
    enabled: ids.length > 0,
    refetchInterval: () => pace.current.waitMs,
    gcTime: 0,
  })
}
