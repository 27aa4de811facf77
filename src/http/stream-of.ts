/** A body that is made piece by piece, as the client reads it. */

/**
 * A body that is made as the client reads it. What it reads from is given back at its end, and when the client leaves
 * before the first piece, too: a generator that has not begun has no end of its own.
 */
export function streamOf(
  pieces: AsyncGenerator<Uint8Array, void>,
  source?: AsyncDisposable,
): ReadableStream<Uint8Array> {
  const end = async (): Promise<void> => {
    await pieces.return()
    await source?.[Symbol.asyncDispose]()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          if (done !== true) return controller.enqueue(value)
        } catch (thrown) {
          await end()
          throw thrown
        }
        await end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
