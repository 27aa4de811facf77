import { expect, test } from 'bun:test'
import { robotsRules } from './robots.ts'

const text =
  'User-agent: *\nDisallow: /\n\nUser-agent: sluice-sources # us\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\n'

test('the longest rule of our own group decides, and that of all agents only where ours is missing', () => {
  const allows = robotsRules(text, 'sluice-sources')
  expect(['/', '/a/x', '/a/b/c', '/x.pdf', '/x.pdf?y'].map(allows)).toEqual([true, false, true, false, true])
  expect(robotsRules(text, 'other')('/')).toBe(false)
  expect(robotsRules('Disallow: /', 'other')('/')).toBe(true)
})

test('of equally long rules the one that allows decides', () => {
  expect(robotsRules('user-agent: *\ndisallow: /ab\nallow: /a*', 'x')('/ab')).toBe(true)
})

test.each([
  ['a line of spaces', `User-agent: *\nDisallow: /a${' '.repeat(500_000)}b`],
  ['a line of colons', `User-agent: *\nDisallow: /a\n${':'.repeat(500_000)}`],
  ['a pattern of stars', `User-agent: *\nDisallow: /a\nDisallow: ${'*a'.repeat(100_000)}$`],
  ['a hundred thousand rules', `User-agent: *\nDisallow: /a\n${'Disallow: /*x*y*z\n'.repeat(100_000)}`],
  ['a hundred thousand agents', `${'User-agent: b\n'.repeat(100_000)}User-agent: *\nDisallow: /a`],
])('%s costs little for each of ten thousand paths', (_what, robots) => {
  const allows = robotsRules(robots, 'sluice-sources')
  const path = `/b${'x'.repeat(10_000)}`
  for (let each = 0; each < 10_000; each += 1) allows(path)
  expect([allows('/a'), allows('/b')]).toEqual([false, true])
})
