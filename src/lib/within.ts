/** A wait with an end. */

/** What the promise resolves with, or null after the time; it rejects when the promise does before. The work itself goes on. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
