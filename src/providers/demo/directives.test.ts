import { expect, test } from 'bun:test'
import { directivesIn } from './directives.ts'

const none = directivesIn('')

test('text without directives orders nothing', () => {
  expect(none).toEqual({
    delayMs: 0,
    paceMs: 0,
    errorStatus: null,
    cutAfter: null,
    json: false,
    tool: false,
    longTokens: null,
    hang: false,
  })
})

test.each([
  ['/delay 500', { delayMs: 500 }],
  ['please /pace 20 now', { paceMs: 20 }],
  ['first line\n/error 503', { errorStatus: 503 }],
  ['/cut 0', { cutAfter: 0 }],
  ['a sentence with /json.', { json: true }],
  ['/tool', { tool: true }],
  ['/long 700, thank you', { longTokens: 700 }],
  ['/hang!', { hang: true }],
  ['/delay 10 /pace 5 /cut 3', { delayMs: 10, paceMs: 5, cutAfter: 3 }],
])('a directive is found anywhere on a word boundary: %j', (text, expected) => {
  expect(directivesIn(text)).toEqual({ ...none, ...expected })
})

test.each(['/var/error 503', 'and/json', '/tools', '/errors 500', 'https://example.com/hang', '/hang/on', '//cut 5'])(
  'what only looks like a directive orders nothing: %j',
  (text) => {
    expect(directivesIn(text)).toEqual(none)
  },
)

test('a missing number is replaced, a high one limited, and the last of two counts', () => {
  expect(directivesIn('/error').errorStatus).toBe(500)
  expect(directivesIn('/delay 999999').delayMs).toBe(60_000)
  expect(directivesIn('/cut 3 then /cut 4').cutAfter).toBe(4)
})
