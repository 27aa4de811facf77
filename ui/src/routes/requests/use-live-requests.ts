/** The requests of a live list: the newest that are recorded, and each that ends from then on. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { followEvents } from '../../api/follow-events.ts'
import type { UsageScope } from '../../api/queries.ts'
import type { RequestRecord } from '../../api/schema.d.ts'
import type { RequestsSearch } from '../search.ts'
import { liveCount, livePath, liveRequestsQuery } from './queries.ts'

export interface LiveRequests {
  /** The newest by arrival; null while the list is not live, or not there yet. */
  readonly records: readonly RequestRecord[] | null
  /** Why nothing comes at the moment. */
  readonly error: Error | null
}

/** Records are in the list about a second after their requests have ended. */
const recordedMs = 1500
/** Rows are drawn again this often at most. */
const drawMs = 200

export function useLiveRequests(isLive: boolean, scope: UsageScope, search: RequestsSearch): LiveRequests {
  const isVisible = useIsVisible()
  const { data, refetch } = useQuery({ ...liveRequestsQuery(scope, search), enabled: isLive })
  const [ended, setEnded] = useState<readonly RequestRecord[]>([])
  const [error, setError] = useState<Error | null>(null)
  const path = livePath(scope, search)
  useEffect(() => {
    // A browser has few connections to one server: windows that nobody sees keep none.
    if (!isLive || !isVisible) return
    const leaving = new AbortController()
    let [fresh, drawing, reading]: [RequestRecord[], Timer, Timer] = [[], undefined, undefined]
    const draw = (): void => {
      drawing = undefined
      const added = fresh
      fresh = []
      setEnded((before) => newest([...added, ...before]))
    }
    /** What ended before the stream began, or was left out of it, is in the list soon. */
    const readList = (): void =>
      void (reading ??= setTimeout(() => ((reading = undefined), void refetch()), recordedMs))
    void followEvents({
      path,
      signal: leaving.signal,
      onChange: setError,
      onEvent({ name, data: text }) {
        if (name !== 'request') return readList()
        fresh.push(JSON.parse(text) as RequestRecord)
        drawing ??= setTimeout(draw, drawMs)
      },
    })
    return () => {
      leaving.abort()
      clearTimeout(drawing)
      clearTimeout(reading)
      setEnded([])
      setError(null)
    }
  }, [isLive, isVisible, path, refetch])
  const records = useMemo(() => (data === undefined ? null : newest([...ended, ...data.data])), [ended, data])
  return { records: isLive ? records : null, error }
}

type Timer = ReturnType<typeof setTimeout> | undefined

/** Each request once, the newest first. */
function newest(records: readonly RequestRecord[]): readonly RequestRecord[] {
  const byName = new Map<string, RequestRecord>()
  for (const record of records) {
    const name = `${record.at} ${record.request_id} ${record.duration_ms}`
    if (!byName.has(name)) byName.set(name, record)
  }
  return [...byName.values()].toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, liveCount)
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}
