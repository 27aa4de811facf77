import { expect, test } from 'bun:test'
import { assert, property, string } from 'fast-check'
import { editDistance, nearestName } from './nearest.ts'

test('the distance counts insertions, deletions, replacements and swaps', () => {
  expect(editDistance('port', 'port')).toBe(0)
  expect(editDistance('port', 'prt')).toBe(1)
  expect(editDistance('port', 'ports')).toBe(1)
  expect(editDistance('port', 'port'.toUpperCase())).toBe(4)
  expect(editDistance('prot', 'port')).toBe(1)
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('kitten', 'sitting')).toBe(3)
})

test('the distance is the same both ways, and zero only for equal texts', () => {
  const short = string({ maxLength: 8 })
  assert(
    property(short, short, (from, to) => {
      expect(editDistance(from, to)).toBe(editDistance(to, from))
      expect(editDistance(from, to) === 0).toBe(from === to)
      expect(editDistance(from, to)).toBeLessThanOrEqual(Math.max(from.length, to.length))
    }),
  )
})

test('a name that is near to none gets no advice', () => {
  expect(nearestName('banana', ['server.port', 'log.level'])).toBeNull()
  expect(nearestName('SERVER.PROT', ['server.port', 'log.level'])).toBe('server.port')
})
