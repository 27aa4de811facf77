import { expect, test } from 'bun:test'
import { kernelBytes, scanKernel } from './scan-kernel.ts'

/** LEB128, unsigned; the encoding of all numbers in a module. */
const u32 = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...u32(value >>> 7)])
const section = (id: number, content: readonly number[]): number[] => [id, ...u32(content.length), ...content]
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)]

const [i32, f32, v128] = [0x7f, 0x7d, 0x7b] as const
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const tee = (local: number): number[] => [0x22, local]
const constant = (value: number): number[] => [0x41, value]
const simd = (code: number, ...immediates: readonly number[]): number[] => [0xfd, ...u32(code), ...immediates]
const [add, lessUnsigned, again, end, loop] = [[0x6a], [0x49], [0x0d, 0], [0x0b], [0x03, 0x40]] as const
const [bits, sumBytes, sumPairs, addPairs, lane] = [0x62, 0x7d, 0x7f, 0x8e, 0x1b] as const

/** The module's text, instruction by instruction: what the bytes in scan-kernel.ts were made of. */
function assembled(): Uint8Array {
  const [codes, scales, query, out, count, width, factor, middle, best] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  const [codeEnd, outEnd, at, sums] = [9, 10, 11, 12]
  const advance = (local: number, by: readonly number[]): number[] => [...get(local), ...by, ...add]
  const body = [
    [...get(out), ...get(count), ...constant(2), 0x74, ...add, ...set(outEnd)],
    loop,
    [...advance(codes, get(width)), ...set(codeEnd), ...get(query), ...set(at)],
    [...simd(0x0c, ...Array.from({ length: 16 }, () => 0)), ...set(sums)],
    loop,
    [...get(codes), ...simd(0x00, 4, 0), ...get(at), ...simd(0x00, 4, 0), ...simd(0x51)],
    [...simd(bits), ...simd(sumBytes), ...get(sums), ...simd(addPairs, 1), ...set(sums)],
    [...advance(at, constant(16)), ...set(at)],
    [...advance(codes, constant(16)), ...tee(codes), ...get(codeEnd), ...lessUnsigned, ...again],
    end,
    [...get(sums), ...simd(sumPairs), ...set(sums)],
    // factor · scale · (middle - differing bits)
    [...get(out), ...get(scales), 0x2f, 1, 0, 0xb3, ...get(factor), 0x94, ...get(middle)],
    [0, 1, 2, 3].flatMap((each) => [...get(sums), ...simd(lane, each), ...(each === 0 ? [] : add)]),
    [0xb3, 0x93, 0x94],
    // + best - squared length / 16384
    [...get(best), ...get(scales), 0x2f, 1, 2, 0xb3, 0x43, 0, 0, 0x80, 0x38, 0x94, 0x93, 0x92],
    [0x38, 2, 0],
    [...advance(scales, constant(4)), ...set(scales)],
    [...advance(out, constant(4)), ...tee(out), ...get(outEnd), ...lessUnsigned, ...again],
    end,
    end,
  ].flat()
  const locals = [2, 3, i32, 1, v128]
  const parameters = [i32, i32, i32, i32, i32, i32, f32, f32, f32]
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, parameters.length, ...parameters, 0]),
    ...section(2, [1, ...name('m'), ...name('m'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('s'), 0, 0]),
    ...section(10, [1, ...u32(locals.length + body.length), ...locals, ...body]),
  ])
}

test('the bytes are those of the listed instructions', () => {
  expect(Buffer.from(kernelBytes).toString('base64')).toBe(Buffer.from(assembled()).toString('base64'))
})

test('scores are those of a plain count, for any width and number of codes', () => {
  for (const width of [16, 48, 192, 8192]) {
    for (const count of width === 8192 ? [3] : [1, 2, 7, 300]) {
      const memory = new WebAssembly.Memory({ initial: 64 })
      const bytes = new Uint8Array(memory.buffer)
      const [query, out, codes, scales] = [0, 8192, 16_384, 16_384 + count * width] as const
      crypto.getRandomValues(bytes.subarray(query, query + width))
      for (let at = codes; at < scales + 4 * count; at += 65_536) {
        crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, scales + 4 * count)))
      }
      scanKernel(memory)({ codes, scales, query, out, count, width, factor: 0.001, middle: width * 4, best: 0.5 })
      const scores = new Float32Array(memory.buffer, out, count)
      const words = new Uint16Array(memory.buffer, scales, count * 2)
      for (let code = 0; code < count; code += 1) {
        const differing = differingBits(
          bytes.subarray(query, query + width),
          bytes.subarray(codes + code * width, codes + (code + 1) * width),
        )
        const expected = 0.001 * words[2 * code]! * (width * 4 - differing) + 0.5 - words[2 * code + 1]! / 16_384
        expect(Math.abs(scores[code]! - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-5 + 1e-4)
      }
    }
  }
})

function differingBits(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, byte, at) => sum + (byte ^ other[at]!).toString(2).replaceAll('0', '').length, 0)
}
