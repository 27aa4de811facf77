import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nearAddress } from './near-address.ts'

const known = new Set([
  '/ai/v1/chat/completions',
  '/ai/v1/models',
  '/ai/v1/models/a',
  '/ai/v2/rerank',
  '/api/v1/documents',
])
const near = (path: string) => nearAddress(path, ['/ai/v1', '/api/v1'], (address) => known.has(address))

test.each([
  ['/v1/chat/completions', '/ai/v1/chat/completions'],
  ['/chat/completions', '/ai/v1/chat/completions'],
  ['/ai/chat/completions', '/ai/v1/chat/completions'],
  ['/ai/v1/v1/chat/completions', '/ai/v1/chat/completions'],
  ['/ai/v1/ai/v1/chat/completions', '/ai/v1/chat/completions'],
  ['/ai/v1/chat/completions/', '/ai/v1/chat/completions'],
  ['//ai//v1//chat/completions', '/ai/v1/chat/completions'],
  ['/openai/v1/models/a', '/ai/v1/models/a'],
  ['/v1/documents', '/api/v1/documents'],
])('%s is near %s', (path, address) => {
  expect(near(path)).toBe(address)
})

test.each(['/', '', '/v1', '/ai/v1/chat/completions', '/chat', '/a/b/c/d/e/models', '/completions/chat', '/models2'])(
  '%p is near nothing',
  (path) => {
    expect(near(path)).toBeNull()
  },
)

test('the look-ups are few, however long a path is', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('/', 'a', 'v1', '//', '%2f'), { maxLength: 2000 }), (parts) => {
      let asked = 0
      nearAddress(`/${parts.join('/')}`, ['/ai/v1', '/api/v1'], () => {
        asked += 1
        return false
      })
      expect(asked).toBeLessThanOrEqual(10)
    }),
  )
})
