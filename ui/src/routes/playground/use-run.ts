/** Runs one request of a tab at a time: its newest result, its error, and a way to stop it. */
import { useEffect, useRef, useState } from 'react'
import { asApiError, type ApiError } from '../../api/api-error.ts'

export interface Run<Result> {
  /** The newest result, as far as it is known; null before the first. */
  readonly result: Result | null
  readonly error: ApiError | null
  readonly running: boolean
  /** Ends the one before, and shows what this one yields. */
  readonly run: (work: (signal: AbortSignal) => AsyncIterable<Result>) => void
  readonly stop: () => void
}

export function useRun<Result>(): Run<Result> {
  const [result, setResult] = useState<Result | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [running, setRunning] = useState(false)
  const current = useRef<AbortController | null>(null)
  useEffect(() => () => current.current?.abort(), [])

  function stop(): void {
    current.current?.abort()
    current.current = null
    setRunning(false)
  }

  async function start(work: (signal: AbortSignal) => AsyncIterable<Result>): Promise<void> {
    stop()
    const own = new AbortController()
    current.current = own
    setError(null)
    setRunning(true)
    try {
      for await (const next of work(own.signal)) {
        // What was stopped no longer changes.
        if (own.signal.aborted) return
        setResult(next)
      }
    } catch (thrown) {
      if (!own.signal.aborted) setError(asApiError(thrown))
    } finally {
      if (current.current === own) setRunning(false)
    }
  }
  return { result, error, running, run: (work) => void start(work), stop }
}
