import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodePng } from './png-encode.ts'
import { pngPixels } from './png-pixels.ts'

const grids = fc
  .record({ width: fc.integer({ min: 1, max: 20 }), height: fc.integer({ min: 1, max: 20 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
      .map((rgba) => ({ width, height, rgba })),
  )

test('any pixels come back from the PNG as they were', () => {
  fc.assert(
    fc.property(grids, (grid) => {
      const { width, height, rgba } = pngPixels(encodePng(grid))
      expect({ width, height, rgba: [...rgba] }).toEqual({ ...grid, rgba: [...grid.rgba] })
    }),
  )
})

test('a decoder that checks the checksums takes it', async () => {
  const rgba = Uint8Array.from({ length: 3 * 2 * 4 }, (_, at) => (at % 4 === 3 ? 255 : at * 9))
  expect(await new Bun.Image(encodePng({ width: 3, height: 2, rgba })).metadata()).toMatchObject({
    width: 3,
    height: 2,
  })
})

test('pixels of another size are refused', () => {
  expect(() => encodePng({ width: 2, height: 2, rgba: new Uint8Array(15) })).toThrow(RangeError)
  expect(() => encodePng({ width: 0, height: 2, rgba: new Uint8Array(0) })).toThrow(RangeError)
})
