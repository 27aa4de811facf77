/** A Reply as a Response of the platform, for tests and clients that want to read it as one. */
import type { Reply } from '#lib/http1/reply.ts'

export function responseOf({ status, headers, body }: Reply): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await body.read()
        if (bytes === null) controller.close()
        else controller.enqueue(bytes)
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  )
  return new Response(status === 204 || status === 304 ? null : stream, { status, headers })
}
