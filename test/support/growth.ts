/**
 * How the cost of a function grows with its input. Each size is twice the one before, and each time is taken in units
 * of a plain scan over the same number of bytes, in the same process and at the same moment: a slow or busy machine
 * slows both down alike. The least of several rounds counts, for other processes only add to it.
 */
import { expect } from 'bun:test'

const doublings = 3
const rounds = 9
/** Other processes can slow down one measurement, not all of them alike. */
const attempts = 6
/** A cost that grows too fast need not be measured more than once. */
const enoughMs = 1000
/** Linear cost stays near 1; quadratic cost reaches 8 after three doublings. */
const growthMax = 3.2

export interface GrowthCase<Input> {
  /** Size of the smallest input. Choose it so that its run takes some tenths of a millisecond. */
  readonly from: number
  readonly make: (size: number) => Input
  readonly run: (input: Input) => unknown
}

/** Fails when the cost grows faster than the size, each time that it is measured. What `run` throws counts as an answer. */
export async function expectLinear<Input>(growing: GrowthCase<Input>): Promise<void> {
  const measured: string[] = []
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const growth = await growthOf(growing)
    if (growth < growthMax) return
    measured.push(growth.toFixed(1))
  }
  expect(measured).toEqual([])
}

/** How many times the cost of the largest input for each byte is that of the smallest. */
async function growthOf<Input>({ from, make, run }: GrowthCase<Input>): Promise<number> {
  const inputs = Array.from({ length: doublings + 1 }, (_, index) => {
    const size = from * 2 ** index
    return { input: make(size), bytes: Buffer.alloc(size * 64, 'a') }
  })
  const costs = inputs.map((): number[] => [])
  const startedAt = performance.now()
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    if (round > 1 && performance.now() - startedAt > enoughMs) break
    for (const [index, { input, bytes }] of inputs.entries()) {
      const scanned = await timeOf(() => scan(bytes))
      const ran = await timeOf(() => run(input))
      if (round > 0) costs[index]?.push(ran / scanned)
    }
  }
  return Math.min(...(costs.at(-1) ?? [])) / Math.min(...(costs[0] ?? []))
}

/** Milliseconds that `run` takes. The CPU time of the thread is told too coarsely for such short runs. */
async function timeOf(run: () => unknown): Promise<number> {
  const startedAt = performance.now()
  try {
    await run()
  } catch {
    // A refusal is one of the answers.
  }
  return performance.now() - startedAt
}

/** A linear pass over the bytes, which the engine cannot leave out. */
function scan(bytes: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < bytes.length; index += 1) sum = (sum * 31 + (bytes[index] ?? 0)) | 0
  return sum
}
