/** The headers of an answer that is a stream of server-sent events. */

/** No cache and no proxy may hold events back: nginx reads `x-accel-buffering`. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const
