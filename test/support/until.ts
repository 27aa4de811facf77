/** Waiting for what happens, never for time to pass. */

/** Longer than any test: what a test that has timed out left waiting ends, too. */
const longestMs = 300_000

/** Resolves when the condition holds; in a running test the test's own time limit is the only one. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > longestMs) throw new Error('what was awaited did not happen')
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
