/**
 * Memory for codes and their scales, in segments of some megabytes that each hold codes of one centre, one after the
 * other, as the kernel reads them. It only grows; codes that nobody needs any more are left out when it is copied.
 */
import { resultBytes, scanKernel, type ScanKernel } from './scan-kernel.ts'
import type { Scored } from './top-codes.ts'

const pageBytes = 65_536
const segmentBytes = 4 * 2 ** 20
const scaleBytes = 4
const queryBytes = 65_536

export interface CodeRange {
  /** Number of the first code; a segment's codes are numbered from its number times `segmentCodes`. */
  readonly place: number
  readonly count: number
}

export class CodeMemory {
  /** Bytes of a code, with padding. */
  readonly width: number
  readonly segmentCodes: number
  readonly #memory: WebAssembly.Memory
  readonly #scan: ScanKernel
  /** Where the kernel writes; null after the memory has grown. */
  #results: Pick<Scored, 'scores' | 'numbers'> | null = null
  /** Centre of each segment, and how many codes are in it. */
  readonly #segments: { readonly centre: number; used: number }[] = []

  /** @param codeBytes of one code, at most 64 KiB */
  constructor(codeBytes: number) {
    this.width = Math.max(16, Math.ceil(codeBytes / 16) * 16)
    this.segmentCodes = 2 ** Math.max(10, Math.floor(Math.log2(segmentBytes / this.width)))
    this.#memory = new WebAssembly.Memory({ initial: this.#startOf(0) / pageBytes })
    this.#scan = scanKernel(this.#memory)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** Codes that were appended. */
  get codes(): number {
    return this.#segments.reduce((sum, { used }) => sum + used, 0)
  }

  centreOf(place: number): number {
    return this.#segments[Math.floor(place / this.segmentCodes)]?.centre ?? 0
  }

  /** Appends codes of `codeBytes` each with their scales, in as many pieces as segments. */
  append(centre: number, codes: Uint8Array, scales: Uint8Array): readonly CodeRange[] {
    const total = scales.length / scaleBytes
    const codeBytes = total === 0 ? 0 : codes.length / total
    const ranges: CodeRange[] = []
    for (let done = 0; done < total;) {
      const segment = this.#segmentFor(centre)
      const held = this.#segments[segment]
      if (held === undefined) break
      const count = Math.min(total - done, this.segmentCodes - held.used)
      const bytes = new Uint8Array(this.#memory.buffer)
      const at = this.addressOf(segment * this.segmentCodes + held.used)
      if (codeBytes === this.width) bytes.set(codes.subarray(done * codeBytes, (done + count) * codeBytes), at.codes)
      else {
        for (let each = 0; each < count; each += 1) {
          const from = (done + each) * codeBytes
          bytes.set(codes.subarray(from, from + codeBytes), at.codes + each * this.width)
        }
      }
      bytes.set(scales.subarray(done * scaleBytes, (done + count) * scaleBytes), at.scales)
      ranges.push({ place: segment * this.segmentCodes + held.used, count })
      held.used += count
      done += count
    }
    return ranges
  }

  /** The codes without their padding and the scales of a range within one segment; valid until the next append. */
  read({ place, count }: CodeRange, codeBytes: number): { readonly codes: Uint8Array; readonly scales: Uint8Array } {
    const at = this.addressOf(place)
    const { buffer } = this.#memory
    const padded = new Uint8Array(buffer, at.codes, count * this.width)
    const scales = new Uint8Array(buffer, at.scales, count * scaleBytes)
    if (codeBytes === this.width) return { codes: padded, scales }
    const codes = new Uint8Array(count * codeBytes)
    for (let each = 0; each < count; each += 1) {
      codes.set(padded.subarray(each * this.width, each * this.width + codeBytes), each * codeBytes)
    }
    return { codes, scales }
  }

  /** All of the memory, for `addressOf`; valid until the next append. */
  views(): { readonly bytes: Uint8Array; readonly halves: Uint16Array } {
    return { bytes: new Uint8Array(this.#memory.buffer), halves: new Uint16Array(this.#memory.buffer) }
  }

  /** Where a code and its scales are, and the centre that they belong to. */
  addressOf(place: number): { readonly codes: number; readonly scales: number; readonly centre: number } {
    const segment = Math.floor(place / this.segmentCodes)
    const code = place % this.segmentCodes
    const start = this.#startOf(segment)
    return {
      codes: start + code * this.width,
      scales: start + this.segmentCodes * this.width + code * scaleBytes,
      centre: this.#segments[segment]?.centre ?? 0,
    }
  }

  /** Where scans read the query's code. */
  setQuery(code: Uint8Array): void {
    const target = new Uint8Array(this.#memory.buffer, 0, this.width)
    target.fill(0)
    target.set(code)
  }

  /** Codes of a range within one segment that score `least` or more; valid until the next scan. */
  scan(
    { place, count }: CodeRange,
    numbers: { readonly factor: number; readonly middle: number; readonly best: number; readonly least: number },
  ): Scored {
    const { codes, scales } = this.addressOf(place)
    const found = this.#scan({ codes, scales, query: 0, out: queryBytes, count, width: this.width, ...numbers })
    const { buffer } = this.#memory
    const length = 2 * this.segmentCodes
    this.#results ??= {
      scores: new Float32Array(buffer, queryBytes, length),
      numbers: new Uint32Array(buffer, queryBytes, length),
    }
    return { ...this.#results, count: found }
  }

  #segmentFor(centre: number): number {
    const last = this.#segments.findLastIndex((segment) => segment.centre === centre)
    const held = this.#segments[last]
    if (held !== undefined && held.used < this.segmentCodes) return last
    const missing = this.#startOf(this.#segments.length + 1) - this.#memory.buffer.byteLength
    this.#memory.grow(missing / pageBytes)
    this.#results = null
    return this.#segments.push({ centre, used: 0 }) - 1
  }

  /** After the query and the results; whole pages. */
  #startOf(segment: number): number {
    const results = Math.ceil((this.segmentCodes * resultBytes) / pageBytes) * pageBytes
    const each = Math.ceil((this.segmentCodes * (this.width + scaleBytes)) / pageBytes) * pageBytes
    return queryBytes + results + segment * each
  }
}
