/**
 * What work on bytes costs, compared with adding up the same bytes in the same process: a number that does not depend
 * on the machine, and that stays the same when the bytes double and the work is linear.
 */

const runs = 3

/** Least CPU time of some runs, in microseconds. */
function leastCpu(work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage()
    const beganAt = performance.now()
    work()
    const { user, system } = process.cpuUsage(before)
    // Other threads of the runtime count too, so the smaller of both is nearer to the work.
    least = Math.min(least, user + system, (performance.now() - beganAt) * 1000)
  }
  return least
}

function sum(bytes: Uint8Array): number {
  let total = 0
  // An iterator would cost ten times as much as the bytes.
  for (let at = 0; at < bytes.length; at += 1) total = (total + (bytes[at] ?? 0)) | 0
  return total
}

/** How many times as long as one pass over the bytes the work takes. What it throws does not matter. */
export function workPerByte<Input extends Uint8Array>(bytes: Input, work: (bytes: Input) => unknown): number {
  // So many passes that the clock can tell them.
  const passes = Math.ceil(2_000_000 / bytes.length)
  const scan = leastCpu(() => {
    for (let pass = 0; pass < passes; pass += 1) sum(bytes)
  })
  const cost = leastCpu(() => {
    try {
      work(bytes)
    } catch {
      // A refusal is an outcome like any other.
    }
  })
  return (cost * passes) / scan
}
