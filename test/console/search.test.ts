/** What the console reads from its own addresses, which anybody can make up. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  readDocumentSearch,
  readDocumentsSearch,
  readKeysSearch,
  readModelsSearch,
  readOverviewSearch,
  readSignInSearch,
} from '../../ui/src/routes/search.ts'

describe('the return path of the sign-in page', () => {
  test('is taken when it is a path of this server', () => {
    for (const path of ['/', '/keys', '/models?q=a//b', '/a/b#c'])
      expect(readSignInSearch({ return: path }).return).toBe(path)
  })

  test('is dropped when it leads elsewhere or is no text', () => {
    for (const value of [
      '//evil.example',
      String.raw`/\evil.example`,
      'https://evil.example',
      'javascript:alert(1)',
      '',
      7,
      null,
      ['/keys'],
    ])
      expect(readSignInSearch({ return: value }).return).toBeUndefined()
  })

  test('never leaves the origin, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const { return: path } = readSignInSearch({ return: value })
        return path === undefined || new URL(path, 'http://console.example').origin === 'http://console.example'
      }),
    )
  })
})

test('parameters that a page does not know are undefined, and so overrule what was typed', () => {
  expect(readOverviewSearch({ span: 'century' })).toEqual({ span: undefined })
  expect(readKeysSearch({ owner: 'everybody' })).toEqual({ owner: undefined })
  expect(readModelsSearch({ q: 7, view: 'list', kind: { a: 1 }, context: 5 })).toEqual({
    q: '7',
    view: undefined,
    kind: undefined,
    context: undefined,
  })
})

test('a place in a document is a whole number from 0, however it is written', () => {
  expect(readDocumentSearch({ chunk: 12, q: 'leave' })).toEqual({ chunk: 12, q: 'leave' })
  expect(readDocumentSearch({ chunk: '0' }).chunk).toBe(0)
  for (const chunk of [-1, 1.5, 'twelve', null, [], {}, Infinity, undefined])
    expect([chunk, readDocumentSearch({ chunk }).chunk]).toEqual([chunk, undefined])
})

test('documents are filtered by states that there are', () => {
  const search = { q: 'report', state: 'failed', category: 'rules' } as const
  expect(readDocumentsSearch(search)).toEqual(search)
  expect(readDocumentsSearch({ state: 'lost' })).toEqual({ q: undefined, state: undefined, category: undefined })
})
