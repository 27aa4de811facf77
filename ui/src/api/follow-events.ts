/**
 * Follows a stream of server-sent events for as long as it is wanted: when it ends or breaks it is opened again where it
 * was. EventSource does not serve here: it gives up at the first answer that is an error, and signs nobody in again.
 */
import { send } from './client.ts'
import { serverEvents, type ServerEvent } from './event-data.ts'

export interface Following {
  readonly path: string
  readonly signal: AbortSignal
  readonly onEvent: (event: ServerEvent) => void
  /** The stream is there, or is not there for now. */
  readonly onChange: (error: Error | null) => void
}

const againMs = 1000
const againMsMax = 15_000

/** Resolves when it is aborted; never rejects. */
export async function followEvents({ path, signal, onEvent, onChange }: Following): Promise<void> {
  let [last, failures] = ['', 0]
  const take = (event: ServerEvent | null): void => {
    if (signal.aborted) return
    if (failures > 0 || last === '') onChange(null)
    failures = 0
    if (event === null) return
    if (event.id !== '') last = event.id
    onEvent(event)
  }
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last !== '' && { 'last-event-id': last }) }
      for await (const event of serverEvents(await send(path, { headers, signal }))) take(event)
    } catch (thrown) {
      if (signal.aborted) return
      failures += 1
      onChange(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
    await pause(Math.min(againMsMax, againMs * 2 ** Math.max(0, failures - 1)), signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
