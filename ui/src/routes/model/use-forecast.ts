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

/** What a row shows of it, and the question that the row asks. */
export interface Outlook {
  /** Null until it is known. */
  readonly forecast: RoutingForecast['components'][number] | null
  /** Requests of the forecast. */
  readonly requests: number
  /** The forecast is made as if it were down. */
  readonly isDown: boolean
  readonly onDown: (isDown: boolean) => void
}

/** The forecast of a draft; each of its components may be down in it. */
export function useForecast(draft: CompositeDraft) {
  const [chosen, setDown] = useState<readonly string[]>([])
  const down = chosen.filter((id) => draft.components.some(({ model }) => model === id))
  const forecast = useAnswer(draft, down)
  const outlookOf = (id: string): Outlook => ({
    forecast: forecast.data?.components.find((each) => each.model_id === id) ?? null,
    requests: forecast.data?.requests ?? 1,
    isDown: down.includes(id),
    onDown: (isDown) => setDown((before) => [...before.filter((each) => each !== id), ...(isDown ? [id] : [])]),
  })
  return { forecast, outlookOf }
}

function useAnswer(draft: CompositeDraft, down: readonly string[]): Forecast {
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
