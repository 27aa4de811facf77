/**
 * Waits that end after a while, many on one timer: one of its own for each would cost more than what is waited for,
 * which has almost always come by the next look.
 */

interface Wait {
  readonly endsAt: number
  readonly late: () => void
}

/** How late an end may be noticed. Milliseconds. */
const resolutionMs = 25

const waits = new Set<Wait>()
let timer: ReturnType<typeof setInterval> | null = null

/** Settles as the promise does, or rejects with what `late` makes when that takes longer than so many milliseconds. */
export function inTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const wait: Wait = { endsAt: performance.now() + ms, late: () => reject(late()) }
    waits.add(wait)
    timer ??= setInterval(look, resolutionMs)
    promise.then(
      (value) => {
        waits.delete(wait)
        resolve(value)
      },
      (reason: unknown) => {
        waits.delete(wait)
        reject(reason as Error)
      },
    )
  })
}

function look(): void {
  const now = performance.now()
  for (const wait of waits) {
    if (now < wait.endsAt) continue
    waits.delete(wait)
    wait.late()
  }
  if (waits.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}
