/** Bounded concurrency for work on a list. */

/**
 * Does the work for each item, for at most `atOnce` of them at the same time. Rejects with the first failure, when nothing
 * is under way any more; items that had not begun by then are left out.
 */
export async function eachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = Iterator.from(items)
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true && failures.length === 0; next = waiting.next())
      await work(next.value).catch((thrown: unknown) => failures.push(thrown))
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  if (failures.length > 0) throw failures[0]
}
