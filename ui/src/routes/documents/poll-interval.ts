/** The interval of polling the progress of documents. */

export const pollMsMin = 1000
const pollMsMax = 10_000

/** One second after progress; without progress, 1.5 times the last interval, up to ten seconds. */
export function nextPollMs(lastMs: number, hasProgress: boolean): number {
  return hasProgress ? pollMsMin : Math.min(pollMsMax, lastMs * 1.5)
}
