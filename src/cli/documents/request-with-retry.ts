/** Requests of a long command, which must outlast a restart of the server and a queue that is full. */
import { fullJitterMs } from '#lib/backoff.ts'
import { pause } from '#lib/loop.ts'
import { Refusal, type AdminClient } from '../admin/admin-client.ts'
import { CommandFailure } from '../command.ts'

export interface RepeatableRequest {
  readonly method: string
  readonly path: string
  /** Made again for each try. */
  readonly body?: () => Bun.BodyInit
}

export interface RetryOptions {
  readonly client: AdminClient
  readonly signal: AbortSignal
  /** Called before each wait, with the reason. */
  readonly onWait: (reason: string) => void
}

export interface RetriedAnswer {
  /** The JSON of the answer; null when it has none. */
  readonly answer: unknown
  /** A try before this one was cut off, and may have been carried out. */
  readonly mayBeSecond: boolean
}

const failuresMax = 6
const backoff = { baseMs: 1000, maxMs: 30_000 }
const passing = new Set([429, 502, 503, 504])

/**
 * Asks until there is an answer: as long as the server's queue is full, and a few times when it cannot be
 * reached or is unwell. Throws the Refusal of everything else, and the reason of the signal when it aborts.
 */
export async function requestWithRetry(
  { client, signal, onWait }: RetryOptions,
  { method, path, body }: RepeatableRequest,
): Promise<RetriedAnswer> {
  let mayBeSecond = false
  for (let failures = 0; ;) {
    signal.throwIfAborted()
    try {
      const response = await client.request(method, path, body?.(), signal)
      return { answer: await jsonOf(response), mayBeSecond }
    } catch (thrown) {
      signal.throwIfAborted()
      const refusal = thrown instanceof Refusal ? thrown : null
      if (refusal !== null && !passing.has(refusal.status)) throw refusal
      const isFull = refusal?.code === 'backlog_full'
      if (!isFull) failures += 1
      if (failures > failuresMax) throw refusal ?? lost()
      mayBeSecond ||= refusal === null
      onWait(isFull ? 'the queue of the server is full, waiting' : 'the server does not answer, trying again')
      await pause(refusal?.retryAfterMs ?? fullJitterMs(failures, backoff, Math.random), signal)
    }
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  return response.status === 204 ? null : response.json()
}

function lost(): CommandFailure {
  return new CommandFailure(
    'The server was lost. What it had accepted is safe; when it runs again, start this command again to go on.',
  )
}
