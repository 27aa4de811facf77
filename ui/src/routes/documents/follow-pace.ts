/** How long to wait before asking again how far documents are. */

export const shortestWaitMs = 1000
const longestWaitMs = 10_000

/** A second after something has moved, half as long again after nothing has, ten seconds at most. */
export function nextWaitMs(waitMs: number, hasMoved: boolean): number {
  return hasMoved ? shortestWaitMs : Math.min(longestWaitMs, waitMs * 1.5)
}
