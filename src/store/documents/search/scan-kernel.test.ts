import { expect, test } from 'bun:test'
import { kernelBytes, scanKernel } from './scan-kernel.ts'

/** LEB128, unsigned; the encoding of all numbers in a module. */
const u32 = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...u32(value >>> 7)])
const section = (id: number, content: readonly number[]): number[] => [id, ...u32(content.length), ...content]
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)]

const [i32, i64, f32] = [0x7f, 0x7e, 0x7d] as const
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const tee = (local: number): number[] => [0x22, local]
const constant = (value: number): number[] => [0x41, value]
const [add, lessUnsigned, again, end, loop] = [[0x6a], [0x49], [0x0d, 0], [0x0b], [0x03, 0x40]] as const
const [exclusiveOr, bits, addLong] = [0x85, 0x7b, 0x7c] as const

/** The module's text, instruction by instruction: what the bytes in scan-kernel.ts were made of. */
function assembled(): Uint8Array {
  const [codes, scales, query, out, count, width, factor, middle, best, least] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  const [codeEnd, number, at, sum, score] = [10, 11, 12, 13, 14]
  const advance = (local: number, by: readonly number[]): number[] => [...get(local), ...by, ...add]
  const word = (offset: number): number[] => [
    ...get(codes),
    0x29,
    3,
    offset,
    ...get(at),
    0x29,
    3,
    offset,
    exclusiveOr,
    bits,
  ]
  const body = [
    loop,
    [...advance(codes, get(width)), ...set(codeEnd), ...get(query), ...set(at), 0x42, 0, ...set(sum)],
    loop,
    [...word(0), ...word(8), addLong, ...get(sum), addLong, ...set(sum)],
    [...advance(at, constant(16)), ...set(at)],
    [...advance(codes, constant(16)), ...tee(codes), ...get(codeEnd), ...lessUnsigned, ...again],
    end,
    // factor · scale · (middle - differing bits)
    [...get(scales), 0x2f, 1, 0, 0xb3, ...get(factor), 0x94, ...get(middle), ...get(sum), 0xa7, 0xb3, 0x93, 0x94],
    // + best - squared length / 16384
    [...get(best), ...get(scales), 0x2f, 1, 2, 0xb3, 0x43, 0, 0, 0x80, 0x38, 0x94, 0x93, 0x92, ...tee(score)],
    // Unless it is less than the least: the score, then the number.
    [...get(least), 0x60, 0x04, 0x40],
    [...get(out), ...get(score), 0x38, 2, 0, ...get(out), ...get(number), 0x36, 2, 4],
    [...advance(out, constant(8)), ...set(out)],
    end,
    [...advance(scales, constant(4)), ...set(scales)],
    [...advance(number, constant(1)), ...tee(number), ...get(count), ...lessUnsigned, ...again],
    end,
    get(out),
    end,
  ].flat()
  const locals = [3, 3, i32, 1, i64, 1, f32]
  const parameters = [i32, i32, i32, i32, i32, i32, f32, f32, f32, f32]
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, parameters.length, ...parameters, 1, i32]),
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
      const scan = { codes, scales, query, out, count, width, factor: 0.001, middle: width * 4, best: 0.5 }
      const kernel = scanKernel(memory)
      const words = new Uint16Array(memory.buffer, scales, count * 2)
      const expected = Array.from({ length: count }, (_each, code) => {
        const differing = differingBits(
          bytes.subarray(query, query + width),
          bytes.subarray(codes + code * width, codes + (code + 1) * width),
        )
        return 0.001 * words[2 * code]! * (width * 4 - differing) + 0.5 - words[2 * code + 1]! / 16_384
      })
      expect(kernel({ ...scan, least: Number.NEGATIVE_INFINITY })).toBe(count)
      const results = new DataView(memory.buffer, out)
      const scores = expected.map((_each, code) => results.getFloat32(8 * code, true))
      for (const [code, score] of scores.entries()) {
        expect(results.getUint32(8 * code + 4, true)).toBe(code)
        expect(Math.abs(score - expected[code]!)).toBeLessThanOrEqual(Math.abs(expected[code]!) * 1e-5 + 1e-4)
      }
      const least = scores.toSorted((a, b) => a - b)[count >> 1]!
      const left = [...scores.keys()].filter((code) => scores[code]! >= least)
      expect(kernel({ ...scan, least })).toBe(left.length)
      expect(left.map((_each, at) => results.getUint32(8 * at + 4, true))).toEqual(left)
    }
  }
})

function differingBits(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, byte, at) => sum + (byte ^ other[at]!).toString(2).replaceAll('0', '').length, 0)
}
