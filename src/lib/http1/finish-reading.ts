/** The end of a body whose content is complete, so that its connection can be used again. */
import { readAll, type ReplyBody } from './reply.ts'

const endOfBodyMs = 1000

/** Reads the end of a body, and gives the body up when it does not end within a second. Never rejects. */
export async function finishReading(body: ReplyBody): Promise<void> {
  const timer = setTimeout(() => body.cancel(), endOfBodyMs)
  try {
    await readAll(body, 0)
  } catch {
    // The content is complete; how its connection ends changes nothing.
  } finally {
    clearTimeout(timer)
    body.cancel()
  }
}
