/** Runs many prompts about one image. */
import { useEffect, useRef, useState } from 'react'
import { asApiError, type ApiError } from '../../../api/api-error.ts'
import {
  failedAnswers,
  newPromptAnswer,
  stoppedAnswers,
  streamVision,
  type PromptAnswer,
  type VisionRequest,
} from './stream-vision.ts'

export interface VisionControl {
  /** The answers of the last run, in the order of the prompts; empty before the first run. */
  readonly answers: readonly PromptAnswer[]
  /** The error of the whole run. */
  readonly error: ApiError | null
  readonly running: boolean
  readonly run: (request: VisionRequest) => void
  readonly stop: () => void
}

export function useVision(): VisionControl {
  const [answers, setAnswers] = useState<readonly PromptAnswer[]>([])
  const [error, setError] = useState<ApiError | null>(null)
  const [running, setRunning] = useState(false)
  const stream = useRef<AbortController | null>(null)
  useEffect(() => () => stream.current?.abort(), [])

  function stop(): void {
    stream.current?.abort()
    stream.current = null
    setRunning(false)
    setAnswers(stoppedAnswers)
  }

  async function run(request: VisionRequest): Promise<void> {
    stop()
    const own = new AbortController()
    stream.current = own
    setError(null)
    setAnswers(request.prompts.map(newPromptAnswer))
    setRunning(true)
    let begun = false
    try {
      for await (const next of streamVision(request, own.signal)) {
        // A stopped answer no longer changes.
        if (own.signal.aborted) return
        begun = true
        setAnswers(next)
      }
    } catch (thrown) {
      if (own.signal.aborted) return
      const problem = asApiError(thrown)
      if (begun) setAnswers((all) => failedAnswers(all, problem))
      else {
        setAnswers([])
        setError(problem)
      }
    } finally {
      if (stream.current === own) setRunning(false)
    }
  }
  return { answers, error, running, run: (request) => void run(request), stop }
}
