/** Reads server-sent events, as far as this API uses them: the `data` of each event is on one line. */
import { ApiError } from './api-error.ts'

/**
 * Yields the `data` of each event and skips comments. A caller that stops early ends the request.
 * Throws ApiError when the connection breaks; an abort is thrown unchanged.
 */
export async function* eventData(response: Response): AsyncGenerator<string> {
  for await (const line of lines(response)) if (line.startsWith('data:')) yield line.slice('data:'.length).trim()
}

export interface ServerEvent {
  /** Empty when the event has none. */
  readonly id: string
  readonly name: string
  readonly data: string
}

/** Yields each event, and null for each comment. Otherwise as `eventData`. */
export async function* serverEvents(response: Response): AsyncGenerator<ServerEvent | null> {
  let fields: Record<string, string> = {}
  for await (const line of lines(response)) {
    const [, name, value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? []
    if (name === '') yield null
    else if (name !== undefined) fields[name] = value
    else {
      const { id = '', event = 'message', data } = fields
      fields = {}
      if (data !== undefined) yield { id, name: event, data }
    }
  }
}

async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const complete = (rest + read.value).split('\n')
      rest = complete.pop() ?? ''
      yield* complete
    }
  } catch (thrown) {
    if (thrown instanceof DOMException) throw thrown
    throw new ApiError({
      message: 'The connection broke before the answer was complete. Try again.',
      code: 'unreachable',
      status: 0,
      param: null,
      requestId: response.headers.get('x-request-id'),
      retryAfterSeconds: null,
    })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
