import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { patchOf, rowsOf, valueOf } from '../../ui/src/routes/document/metadata-rows.ts'

const plain = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const name = fc.string({ minLength: 1 }).filter((text) => text === text.trim() && text !== '__proto__')
const metadata = fc.dictionary(name, fc.oneof(plain, fc.array(plain), fc.dictionary(name, plain)))

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, unknown> = isObject ? { ...(target as object) } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}

/** What a merge patch can leave: null removes a key, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each)]))
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the rows of metadata', () => {
  test('are what they were made of, and change nothing as they are', () => {
    fc.assert(
      fc.property(metadata, (given) => {
        const before = asJson(given) as Record<string, unknown>
        const rows = rowsOf(before)
        expect(Object.fromEntries(rows.map((row) => [row.name, valueOf(row.text)]))).toEqual(before)
        expect(patchOf(before, rows)).toEqual({})
      }),
    )
  })

  test('make a patch that leads from any metadata to any other', () => {
    fc.assert(
      fc.property(metadata, metadata, (one, other) => {
        const [before, after] = [asJson(one), withoutNulls(asJson(other))] as Record<string, unknown>[]
        const patch = patchOf(before ?? {}, rowsOf(after ?? {}))
        expect(merged(withoutNulls(before), patch)).toEqual(after as object)
      }),
    )
  })

  test('without a name say nothing, and of two with one name the last counts', () => {
    const rows = [
      { name: ' ', text: '1' },
      { name: 'a', text: '1' },
      { name: ' a ', text: '"1"' },
    ]
    expect(patchOf({}, rows)).toEqual({ a: '1' })
  })
})
