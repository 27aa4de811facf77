import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FindQuery } from '../document-store.ts'
import { VisibleClasses, type ClassTraits } from './visible-classes.ts'

const users = ['ada', 'bob', 'cleo']
const principals = ['user:ada', 'user:bob', 'group:staff', 'group:everyone']

const aClass: fc.Arbitrary<ClassTraits> = fc.record({
  importerId: fc.constantFrom(...users),
  owners: fc
    .subarray(principals)
    .chain((owners) => fc.tuple(...owners.map((owner) => fc.constantFrom(`+${owner}`, `-${owner}`)))),
  category: fc.constantFrom('letters', 'reports'),
  spaceRow: fc.constantFrom(1, 2),
})
const aQuery: fc.Arbitrary<Pick<FindQuery, 'viewer' | 'filter'>> = fc.record({
  viewer: fc.record({
    userId: fc.constantFrom(...users, 'nobody'),
    principals: fc.subarray(principals),
    all: fc.boolean(),
  }),
  filter: fc.record(
    { categories: fc.subarray(['letters', 'reports', 'none']), owners: fc.subarray(principals) },
    { requiredKeys: [] },
  ),
})

/** The rule of rows/visibility.ts, document by document. */
function isSeen(
  { importerId, owners, category }: ClassTraits,
  { viewer, filter }: typeof aQuery extends fc.Arbitrary<infer Query> ? Query : never,
) {
  const sees =
    viewer.all || importerId === viewer.userId || viewer.principals.some((each) => owners.includes(`+${each}`))
  const owned = filter.owners?.some((each) => owners.includes(`+${each}`) || owners.includes(`-${each}`)) ?? true
  return sees && owned && (filter.categories?.includes(category) ?? true)
}

test('what is chosen is what each document by itself would allow, while documents come and go', () => {
  fc.assert(
    fc.property(fc.array(aClass, { maxLength: 30 }), fc.infiniteStream(fc.boolean()), aQuery, (all, leaves, query) => {
      const classes = new VisibleClasses()
      const sets = all.map((traits, index) => ({ traits, chunks: index + 1, number: classes.enter(traits, index + 1) }))
      const left = sets.filter(() => leaves.next().value)
      for (const { number, chunks } of left) classes.leave(number, chunks)
      const here = sets.filter((each) => !left.includes(each))
      const { mask, ...counts } = classes.choose(query)
      for (const { traits, number } of here) expect(mask[number] === 1).toBe(isSeen(traits, query))
      const seen = here.filter(({ traits }) => isSeen(traits, query))
      expect(counts).toEqual({
        sets: seen.length,
        chunks: seen.reduce((sum, { chunks }) => sum + chunks, 0),
        spaces: new Set(seen.map(({ traits }) => traits.spaceRow)),
      })
    }),
  )
})

test('a class lasts as long as a document of it, and its number is used again', () => {
  const classes = new VisibleClasses()
  const traits = { importerId: 'ada', owners: ['+user:ada'], category: 'letters', spaceRow: 1 }
  const numbers = Array.from({ length: 1000 }, (_each, index) => {
    const number = classes.enter({ ...traits, category: `category ${index}` }, 1)
    classes.leave(number, 1)
    return number
  })
  expect(new Set(numbers)).toEqual(new Set([0]))
})
