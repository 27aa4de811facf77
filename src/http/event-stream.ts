/** Answers that are streams of server-sent events, made of events that are there or come later. */
import { toApiError, type ApiError } from '#errors/api-error.ts'
import type { RequestContext } from './request-context.ts'

/** No cache and no proxy may hold events back: nginx reads `x-accel-buffering`. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

export interface EventSource {
  /** Whole events; null after a while without any. */
  readonly pieces: AsyncGenerator<Uint8Array | null, void>
  /** Silence after which a comment is sent. */
  readonly keepaliveMs: number
  /** The client is gone. */
  readonly cancel: () => void
  /** Ends the stream when `pieces` rejects. */
  readonly failureEvent: (error: ApiError) => Uint8Array
}

const keepalive = Buffer.from(': keep-alive\n\n')

/** The events as the client reads them. */
export function eventStream(
  context: RequestContext,
  { pieces, keepaliveMs, cancel, failureEvent }: EventSource,
): Response {
  let sentAt = context.clock.elapsed()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await pieces.next()
            if (done === true) return controller.close()
            const now = context.clock.elapsed()
            if (value === null && now - sentAt < keepaliveMs) continue
            sentAt = now
            return controller.enqueue(value ?? keepalive)
          }
        } catch (thrown) {
          controller.enqueue(failureEvent(toApiError(thrown)))
          controller.close()
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  return context.respond(body, { status: 200, headers: { ...eventStreamHeaders } })
}
