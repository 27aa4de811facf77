import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { chunkRow } from '../rows/chunk-row.ts'
import { CodeIndex } from './code-index.ts'
import { signCoder } from '../indexing/sign-code.ts'

function randomVector(dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => Math.random() - 0.5)
}

function near(vector: Float32Array, noise: number): Float32Array {
  return vector.map((value) => value + noise * (Math.random() - 0.5))
}

describe('the code of a vector', () => {
  test('comes from a rotation: lengths and angles stay as they are, for any number of dimensions', () => {
    for (const dimensions of [1, 2, 3, 31, 32, 33, 384, 1000]) {
      const coder = signCoder(dimensions)
      const rotate = (vector: Float32Array): Float32Array => coder.rotate(vector)
      const [a, b] = [randomVector(dimensions), randomVector(dimensions)]
      const product = (x: Float32Array, y: Float32Array): number =>
        x.reduce((sum, value, at) => sum + value * y[at]!, 0)
      expect(product(rotate(a), rotate(b))).toBeCloseTo(product(a, b), 3)
      expect(product(rotate(a), rotate(a))).toBeCloseTo(product(a, a), 3)
    }
  })

  test('is the same for ever, since codes are stored', () => {
    const vector = Float32Array.from({ length: 40 }, (_each, at) => Math.sin(at + 1))
    expect(Buffer.from(signCoder(40).encodeAll([vector])).toString('hex')).toMatchInlineSnapshot(`"95958e2fe2000000"`)
  })

  test('spreads what is in few dimensions over all bits', () => {
    const sparse = new Float32Array(384)
    sparse[7] = 1
    expect(
      signCoder(384)
        .rotate(sparse)
        .filter((value) => Math.abs(value) > 0.001).length,
    ).toBeGreaterThan(300)
  })

  test('a vector of other dimensions is refused', () => {
    expect(() => signCoder(384).rotate(randomVector(383))).toThrow('383')
  })
})

describe('codes in memory', () => {
  test('the vector itself comes first, then what is near it, out of many sets in any order', () => {
    const coder = signCoder(128)
    const index = new CodeIndex(coder)
    const sets = Array.from({ length: 300 }, (_each, set) => ({
      set: set + 1,
      vectors: Array.from({ length: (set % 7) + 1 }, () => randomVector(128)),
    }))
    for (const { set, vectors } of sets) index.add(set, coder.encodeAll(vectors))
    const target = sets[123]!.vectors[2]!
    const close = near(target, 0.3)
    index.add(1000, coder.encodeAll([randomVector(128), close]))
    const rows = index.nearest(target, [...sets.map(({ set }) => set), 1000], 10)
    expect(rows.slice(0, 2)).toEqual([chunkRow(124, 2), chunkRow(1000, 1)])
    expect(rows).toHaveLength(10)
  })

  test('only the sets that are given are looked at, and all of them when they are few', () => {
    const coder = signCoder(64)
    const index = new CodeIndex(coder)
    for (let set = 1; set <= 50; set += 1) index.add(set, coder.encodeAll([randomVector(64), randomVector(64)]))
    const rows = index.nearest(randomVector(64), [7, 9, 999], 100)
    expect(rows.toSorted((a, b) => a - b)).toEqual([7, 9].flatMap((set) => [chunkRow(set, 0), chunkRow(set, 1)]))
    expect(index.nearest(randomVector(64), [], 10)).toEqual([])
  })

  test('blocks are whole wherever they lie, also after others were removed and memory was given back', () => {
    const coder = signCoder(32)
    const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 6, maxLength: 12 })
    fc.assert(
      fc.property(sizes, (counts) => {
        const index = new CodeIndex(coder)
        const codesOf = new Map(counts.map((count, set) => [set + 1, crypto.getRandomValues(new Uint32Array(count))]))
        for (const [set, codes] of codesOf) index.add(set, new Uint8Array(codes.buffer))
        const full = index.bytes
        for (const set of codesOf.keys()) {
          if (set % 2 === 1) index.remove(set)
        }
        for (const [set, codes] of codesOf) {
          expect(index.has(set)).toBe(set % 2 === 0)
          if (set % 2 === 1) continue
          const at = codes.length - 1
          const asked = bitsOf(codes[at]!)
          const [first] = nearestByBits(index, asked, [set])
          expect(codes[first!]).toBe(codes[at]!)
        }
        expect(index.bytes).toBeLessThanOrEqual(full)
      }),
      { numRuns: 20 },
    )
  })
})

/** The rotated vector that has this code. */
function bitsOf(code: number): Float32Array {
  return Float32Array.from({ length: 32 }, (_each, at) => ((code >>> at) & 1 ? 1 : -1))
}

/** Ordinals in one set, by a vector whose rotated form is given: the rotation is orthogonal, so it is undone by its transpose. */
function nearestByBits(index: CodeIndex, rotated: Float32Array, sets: readonly number[]): readonly number[] {
  const columns = Array.from({ length: 32 }, (_each, at) => {
    const axis = new Float32Array(32)
    axis[at] = 1
    return index.coder.rotate(axis)
  })
  const vector = Float32Array.from(columns, (column) =>
    column.reduce((sum, value, at) => sum + value * rotated[at]!, 0),
  )
  return index.nearest(vector, sets, 1).map((row) => row % 2 ** 20)
}
