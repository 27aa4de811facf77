/** Records from the microphone, where the browser allows it: on https and localhost, after the person has agreed. */
import { useEffect, useRef, useState } from 'react'

export interface Recorder {
  readonly isPossible: boolean
  readonly recording: boolean
  /** Why there is no recording; null when nothing is wrong. */
  readonly problem: string | null
  readonly start: () => void
  readonly stop: () => void
}

export function useRecorder(onRecorded: (file: File) => void): Recorder {
  const [recording, setRecording] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const current = useRef<MediaRecorder | null>(null)
  // The light of the microphone goes out when the tab is left.
  useEffect(() => () => end(current.current), [])

  async function start(): Promise<void> {
    setProblem(null)
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const recorder = new MediaRecorder(stream)
      const pieces: Blob[] = []
      recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
      recorder.addEventListener('stop', () => {
        setRecording(false)
        const type = recorder.mimeType.split(';')[0] || 'audio/webm'
        onRecorded(new File(pieces, `recording.${type.split('/')[1] ?? 'webm'}`, { type }))
      })
      recorder.start()
      current.current = recorder
      setRecording(true)
    } catch {
      setProblem('The microphone cannot be used. Allow it in the browser, or choose a file.')
    }
  }
  return {
    isPossible: typeof navigator.mediaDevices?.getUserMedia === 'function' && typeof MediaRecorder === 'function',
    recording,
    problem,
    start: () => void start(),
    stop: () => end(current.current),
  }
}

function end(recorder: MediaRecorder | null): void {
  if (recorder === null || recorder.state === 'inactive') return
  recorder.stop()
  for (const track of recorder.stream.getTracks()) track.stop()
}
