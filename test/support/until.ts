/** Waiting for what happens, never for time to pass. */

/** Resolves when the condition holds; the test's own time limit is the only one. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise<void>((resolve) => setImmediate(resolve))
}
