/**
 * The innermost loop of the vector search as a WASM module with SIMD: for each code the bits that differ from the
 * query's, and from them and the code's two scales an estimate of how near its vector is. The bytes are written by
 * hand; `scan-kernel.test.ts` lists their instructions and proves that they are equal.
 */

export const kernelBytes = Buffer.from(
  'AGFzbQEAAAABDQFgCX9/f39/f319fQACCAEBbQFtAgABAwIBAAcFAQFzAAAKuAEBtQECA38BeyADIARBAnRqIQoDQCAAIAVqIQkgAiEL/QwAAAAAAAAAAAAAAAAAAAAAIQwDQCAA/QAEACAL/QAEAP1R/WL9fSAM/Y4BASEMIAtBEGohCyAAQRBqIgAgCUkNAAsgDP1/IQwgAyABLwEAsyAGlCAHIAz9GwAgDP0bAWogDP0bAmogDP0bA2qzk5QgCCABLwECs0MAAIA4lJOSOAIAIAFBBGohASADQQRqIgMgCkkNAAsL',
  'base64',
)

export interface Scan {
  /** Addresses: codes of `width` bytes each; for each code two numbers of 16 bits, 16384 for 1; the query's code; results. */
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
}

/** Writes `factor · scale 1 · (middle - differing bits) + best - scale 2` for each code, as 32-bit floats. */
export type ScanKernel = (scan: Scan) => void

let compiled: WebAssembly.Module | null = null

/** The kernel over this memory. */
export function scanKernel(memory: WebAssembly.Memory): ScanKernel {
  compiled ??= new WebAssembly.Module(kernelBytes)
  const { exports } = new WebAssembly.Instance(compiled, { m: { m: memory } })
  const run = exports['s'] as (...parameters: readonly number[]) => void
  return ({ codes, scales, query, out, count, width, factor, middle, best }) =>
    run(codes, scales, query, out, count, width, factor, middle, best)
}
