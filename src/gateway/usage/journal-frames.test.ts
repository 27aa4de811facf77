import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { frameOf, framesIn, joined, type Frame } from './journal-frames.ts'

const lines = fc.array(
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')),
  { minLength: 1, maxLength: 5 },
)

function framesOf(groups: readonly (readonly string[])[]): { readonly frames: Frame[]; readonly bytes: Buffer[] } {
  let first = 1
  const frames: Frame[] = []
  const bytes: Buffer[] = []
  for (const group of groups) {
    // As text of well-formed Unicode, which is what records are.
    const text = group.map((line) => `${line.toWellFormed()}\n`).join('')
    frames.push({ first, count: group.length, text })
    bytes.push(Buffer.from(frameOf(first, group.length, text)))
    first += group.length
  }
  return { frames, bytes }
}

test('frames are read as they were written, and those before a torn one wherever it ends', () => {
  fc.assert(
    fc.property(fc.array(lines, { minLength: 1, maxLength: 5 }), fc.nat(), (groups, cut) => {
      const { frames, bytes } = framesOf(groups)
      const file = Buffer.concat(bytes)
      expect([...framesIn(file)]).toEqual(frames)
      const length = cut % file.byteLength
      let whole = 0
      for (let end = bytes[0]?.byteLength ?? 0; end <= length; end += bytes[whole]?.byteLength ?? Infinity) whole += 1
      expect([...framesIn(file.subarray(0, length))]).toEqual(frames.slice(0, whole))
    }),
  )
})

test('joined frames have the same records in the same places, and no more than asked for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(lines, fc.boolean()), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (groups, most) => {
        const { frames } = framesOf(groups.map(([group]) => group))
        // Some frames were lost between the others.
        const given = frames.filter((_frame, at) => groups[at]?.[1])
        const placed = (some: Iterable<Frame>): string[] =>
          [...some].flatMap(({ first, text }) => text.split(/(?<=\n)/).map((line, at) => `${first + at} ${line}`))
        const result = [...joined(given, most)]
        expect(placed(result)).toEqual(placed(given))
        for (const { count } of result) expect(count).toBeLessThanOrEqual(Math.max(most, 5))
      },
    ),
  )
})

test('a changed byte ends what is read, and nothing that was not written comes out', () => {
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (groups, at, flip) => {
        const { frames, bytes } = framesOf(groups)
        const file = Buffer.concat(bytes)
        const place = at % file.byteLength
        file[place] = (file[place] ?? 0) ^ flip
        const read = [...framesIn(file)]
        expect(read.length).toBeLessThan(frames.length)
        expect(read).toEqual(frames.slice(0, read.length))
      },
    ),
  )
})
