import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { chunkRow } from '../rows/chunk-row.ts'
import { CodeIndex, type CodePiece } from './code-index.ts'
import { meanDirection, signCoder, type SignCoder } from '../indexing/sign-code.ts'

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
    expect(Buffer.from(signCoder(40).encodeAll([vector], null).codes).toString('hex')).toMatchInlineSnapshot(
      `"95958e2fe2000000"`,
    )
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

/** Sets are in the slots of their own numbers. */
const inSlots = (...slots: readonly number[]) => ({ has: (slot: number) => slots.includes(slot), setRowOf: same })
const same = (slot: number): number => slot

function piece(coder: SignCoder, vectors: readonly Float32Array[], first = 0): CodePiece {
  return { centre: 0, first, ...coder.encodeAll(vectors, null) }
}

describe('codes in memory', () => {
  test('the vector itself comes first, then what is near it, out of many sets in any order', () => {
    const coder = signCoder(128)
    const index = new CodeIndex(coder)
    const sets = Array.from({ length: 300 }, (_each, set) => ({
      set: set + 1,
      vectors: Array.from({ length: (set % 7) + 1 }, () => randomVector(128)),
    }))
    for (const { set, vectors } of sets) index.add(set, [piece(coder, vectors)])
    const target = sets[123]!.vectors[2]!
    const close = near(target, 0.3)
    index.add(1000, [piece(coder, [randomVector(128)]), piece(coder, [close], 1)])
    const found = index.nearest({ vector: target, count: 10, wanted: 10, has: () => true, setRowOf: same })
    const first = found.slice(0, 2).map(({ row }) => row)
    expect(first.toSorted((a, b) => a - b)).toEqual([chunkRow(124, 2), chunkRow(1000, 1)])
    expect(found).toHaveLength(10)
  })

  test('only the sets that are given are looked at, and all of them when they are few', () => {
    const coder = signCoder(64)
    const index = new CodeIndex(coder)
    for (let set = 1; set <= 50; set += 1) index.add(set, [piece(coder, [randomVector(64), randomVector(64)])])
    const found = index.nearest({ vector: randomVector(64), count: 100, wanted: 100, ...inSlots(7, 9, 999) })
    expect(found.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual(
      [7, 9].flatMap((set) => [chunkRow(set, 0), chunkRow(set, 1)]),
    )
    expect(index.nearest({ vector: randomVector(64), count: 10, wanted: 10, ...inSlots() })).toEqual([])
  })

  test('the estimate is seldom above the distance and never far below, with and without a centre, and codes of both are ordered together', () => {
    const dimensions = 256
    const coder = signCoder(dimensions)
    const common = randomVector(dimensions).map((value) => value * 3)
    const vectors = Array.from({ length: 400 }, () => common.map((value) => value + Math.random() - 0.5))
    const mean = meanDirection(vectors)
    for (const centred of [[], [1], [0, 1]]) {
      const index = new CodeIndex(coder)
      index.addCentre(1, mean)
      for (const [set, vector] of vectors.entries()) {
        const centre = centred[set % centred.length] ?? 0
        const rotated = centre === 1 ? coder.rotate(mean) : null
        index.add(set, [{ centre, first: 0, ...coder.encodeAll([vector], rotated) }])
      }
      const asked = near(vectors[17]!, 0.2)
      const found = index.nearest({
        vector: asked,
        count: 400,
        wanted: 400,
        has: () => true,
        setRowOf: (slot) => slot + 1,
      })
      expect(found).toHaveLength(400)
      const off = found.filter(({ row, atLeast }) => {
        const exact = squaredDistance(asked, vectors[Math.floor(row / 2 ** 20) - 1]!)
        return exact < atLeast || exact > atLeast + 1
      })
      expect(off.length).toBeLessThan(40)
    }
  })

  test('sets are whole wherever they lie, also after others were removed and memory was given back', () => {
    const coder = signCoder(32)
    const sizes = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 4, maxLength: 8 })
    fc.assert(
      fc.property(sizes, (counts) => {
        const index = new CodeIndex(coder)
        const codesOf = new Map(counts.map((count, set) => [set + 1, randomCodes(count)]))
        for (const [set, codes] of codesOf) {
          const bytes = new Uint8Array(codes.buffer)
          const scales = new Uint8Array(Uint16Array.from({ length: 2 * codes.length }, () => 16_384).buffer)
          index.add(set, [{ centre: 0, first: 0, codes: bytes, scales }])
        }
        const full = index.bytes
        for (const set of codesOf.keys()) {
          if (set % 2 === 1) index.remove(set)
        }
        for (const [set, codes] of codesOf) {
          expect(index.has(set)).toBe(set % 2 === 0)
          const at = codes.length - 1
          const vector = vectorOf(coder, codes[at]!)
          const [first] = index.nearest({ vector, count: 1, wanted: 1, ...inSlots(set) })
          if (set % 2 === 1) expect(first).toBeUndefined()
          else expect(codes[first!.row % 2 ** 20]).toBe(codes[at]!)
        }
        expect(index.bytes).toBeLessThanOrEqual(full)
      }),
      { numRuns: 10 },
    )
  })
})

function squaredDistance(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  return 2 - (2 * product(a, b)) / Math.sqrt(product(a, a) * product(b, b))
}

function randomCodes(count: number): Uint32Array {
  const codes = new Uint32Array(count)
  for (let at = 0; at < count; at += 16_384) crypto.getRandomValues(codes.subarray(at, at + 16_384))
  return codes
}

/** A vector with this code: the rotation is orthogonal, so it is undone by its transpose. */
function vectorOf(coder: SignCoder, code: number): Float32Array {
  const signs = Float32Array.from({ length: 32 }, (_each, at) => ((code >>> at) & 1 ? 1 : -1))
  const columns = Array.from({ length: 32 }, (_each, at) => {
    const axis = new Float32Array(32)
    axis[at] = 1
    return coder.rotate(axis)
  })
  return Float32Array.from(columns, (column) => column.reduce((sum, value, at) => sum + value * signs[at]!, 0))
}
