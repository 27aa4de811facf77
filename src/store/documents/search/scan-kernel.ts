/**
 * The innermost loop of the vector search as a WASM module: for each code the bits that differ from the query's,
 * and from them and the code's two scales an estimate of how near its vector is; what is far is not even written down.
 * Words of 64 bits are counted by one instruction each, which is faster here than SIMD. The bytes are written by hand; `scan-kernel.test.ts` lists their instructions and proves that they are equal.
 */

export const kernelBytes = Buffer.from(
  'AGFzbQEAAAABDwFgCn9/f39/f319fX0BfwIIAQFtAW0CAAEDAgEABwUBAXMAAAqkAQGhAQMDfwF+AX0DQCAAIAVqIQogAiEMQgAhDQNAIAApAwAgDCkDAIV7IAApAwggDCkDCIV7fCANfCENIAxBEGohDCAAQRBqIgAgCkkNAAsgAS8BALMgBpQgByANp7OTlCAIIAEvAQKzQwAAgDiUk5IiDiAJYARAIAMgDjgCACADIAs2AgQgA0EIaiEDCyABQQRqIQEgC0EBaiILIARJDQALIAML',
  'base64',
)

export interface Scan {
  /** Addresses: codes of `width` bytes each; for each code two numbers of 16 bits, 16384 for 1; the query's code; results of 8 bytes each. */
  readonly codes: number
  readonly scales: number
  readonly query: number
  readonly out: number
  /** At least 1. */
  readonly count: number
  /** A multiple of 16. */
  readonly width: number
  readonly factor: number
  readonly middle: number
  readonly best: number
  /** What scores less is left out. */
  readonly least: number
}

/**
 * Scores each code with `factor · scale 1 · (middle - differing bits) + best - scale 2`. Writes the score, as a 32-bit
 * float, and the number of each code that is not left out, in their order, and returns how many those are.
 */
export type ScanKernel = (scan: Scan) => number

/** A score and a number. */
export const resultBytes = 8

let compiled: WebAssembly.Module | null = null

/** The kernel over this memory. */
export function scanKernel(memory: WebAssembly.Memory): ScanKernel {
  compiled ??= new WebAssembly.Module(kernelBytes)
  const { exports } = new WebAssembly.Instance(compiled, { m: { m: memory } })
  const run = exports['s'] as (...parameters: readonly number[]) => number
  return ({ codes, scales, query, out, count, width, factor, middle, best, least }) =>
    (run(codes, scales, query, out, count, width, factor, middle, best, least) - out) / resultBytes
}
