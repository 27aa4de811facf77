import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { pngFile, stripedPng } from '#test/support/documents/png-file.ts'
import { pngPixels } from './png-pixels.ts'

const samplesPerPixel = { 0: 1, 2: 3, 4: 2, 6: 4 } as const

const plans = fc
  .record({
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
    colourType: fc.constantFrom(0 as const, 2 as const, 4 as const, 6 as const),
  })
  .chain(({ width, height, colourType }) => {
    const length = width * height * samplesPerPixel[colourType]
    return fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      colourType: fc.constant(colourType),
      samples: fc.uint8Array({ minLength: length, maxLength: length }),
      filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: height, maxLength: height }),
    })
  })

test('pixels come back as they were written, whatever the row filters', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { width, height, rgba } = pngPixels(pngFile(plan))
      expect([width, height]).toEqual([plan.width, plan.height])
      const step = samplesPerPixel[plan.colourType]
      const sample = (pixel: number, offset: number) => plan.samples[pixel * step + offset]
      for (let pixel = 0; pixel < width * height; pixel += 1) {
        const grey = step < 3
        const expected = [0, 1, 2].map((offset) => sample(pixel, grey ? 0 : offset))
        const alpha = step === 2 ? sample(pixel, 1) : step === 4 ? sample(pixel, 3) : 255
        expect([...rgba.subarray(pixel * 4, pixel * 4 + 4)]).toEqual([...expected, alpha] as number[])
      }
    }),
  )
})

test('a palette index becomes its colour', () => {
  const file = pngFile({
    width: 2,
    height: 1,
    colourType: 3,
    samples: new Uint8Array([1, 0]),
    palette: new Uint8Array([10, 20, 30, 40, 50, 60]),
  })
  expect([...pngPixels(file).rgba]).toEqual([40, 50, 60, 255, 10, 20, 30, 255])
})

test('a PNG written by the runtime is read', async () => {
  const source = stripedPng(64, 8, [
    [255, 0, 0],
    [0, 0, 255],
  ])
  const { rgba } = pngPixels(await new Bun.Image(source).resize(2, 1, { filter: 'box' }).png().bytes())
  expect([...rgba]).toEqual([255, 0, 0, 255, 0, 0, 255, 255])
})

const pixel = { width: 1, height: 1, colourType: 0 as const, samples: new Uint8Array([7]) }

test.each([
  ['no PNG', Buffer.from('just some text, and no picture at all')],
  ['16 bits a channel', pngFile({ ...pixel, bitDepth: 16 })],
  ['interlaced', pngFile({ ...pixel, interlaced: true })],
  ['an unknown row filter', pngFile({ ...pixel, filters: [9] })],
  ['fewer rows than announced', pngFile({ ...pixel, height: 2, samples: new Uint8Array([1, 2]) }).fill(9, 23, 24)],
])('what cannot be read is refused: %s', (_, file) => {
  expect(() => pngPixels(file)).toThrow(RangeError)
})

test('unpacking stops at the announced size', () => {
  const bomb = pngFile({ width: 1, height: 1, colourType: 0, samples: new Uint8Array(1_000_000) })
  expect(() => pngPixels(bomb)).toThrow()
})
