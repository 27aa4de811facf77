/** What would happen to the requests of the composite in the form, with some of its components down. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { RoutingForecast } from '../../api/schema.d.ts'
import { compositeOnWire, type CompositeDraft } from './composite-draft.ts'

/** A value that is dragged is asked about when it rests. */
const restMs = 150

export interface Forecast {
  /** Null until it is known, and while there is nothing to know. */
  readonly data: RoutingForecast | null
  readonly error: Error | null
}

/** @param down ids of components */
export function useForecast(draft: CompositeDraft, down: readonly string[]): Forecast {
  const question = useRested(JSON.stringify({ composite: compositeOnWire(draft), down }))
  const { data, error } = useQuery({
    queryKey: [...resource.models, 'forecast', question],
    queryFn: ({ signal }) => {
      const body = JSON.parse(question) as { composite: ReturnType<typeof compositeOnWire>; down: string[] }
      return api('POST /admin/api/v1/composite-simulations', { body, signal })
    },
    enabled: draft.components.some(({ enabled }) => enabled),
    placeholderData: keepPreviousData,
    // Health changes all the time.
    staleTime: 5000,
    retry: false,
  })
  return { data: draft.components.length === 0 ? null : (data ?? null), error }
}

function useRested(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
