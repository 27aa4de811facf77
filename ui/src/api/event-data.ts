/** Server-sent events of an answer, as far as this API uses them: the `data` of each event, which is one line. */
import { ApiError } from './api-error.ts'

/**
 * The `data` of each event as it comes; comments are left out. Who stops reading early ends the
 * request, and the server frees what it held. Throws ApiError when the connection breaks; an abort
 * is thrown as it is.
 */
export async function* eventData(response: Response): AsyncGenerator<string> {
  for await (const line of lines(response)) if (line.startsWith('data:')) yield line.slice('data:'.length).trim()
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
      message: 'The connection broke off before the end of the answer. Try again.',
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
