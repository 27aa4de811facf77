/** 422 of POST /api/v1/search. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

const bodies: readonly (readonly [string, unknown, string | null])[] = [
  ['a list', [], null],
  ['no query', {}, 'query'],
  ['an empty query', { query: '' }, 'query'],
  ['a query of spaces', { query: ' \n' }, 'query'],
  ['a query of 20,001 characters', { query: 'q'.repeat(20_001) }, 'query'],
  ['a query that is a list', { query: ['a'] }, 'query'],
  ['no hits', { query: 'a', top_k: 0 }, 'top_k'],
  ['more than 200 hits', { query: 'a', top_k: 201 }, 'top_k'],
  ['half a hit', { query: 'a', top_k: 1.5 }, 'top_k'],
  ['a mode that there is not', { query: 'a', mode: 'semantic' }, 'mode'],
  ['a window below zero', { query: 'a', window: -1 }, 'window'],
  ['a window above ten', { query: 'a', window: 11 }, 'window'],
  ['a window of another kind', { query: 'a', window: 'page' }, 'window'],
  ['no hit of a document', { query: 'a', max_per_document: 0 }, 'max_per_document'],
  ['an empty list of categories', { query: 'a', category: [] }, 'category'],
  ['a document id that is none', { query: 'a', doc_id: 'mine' }, 'doc_id'],
  ['a wrong id in a list', { query: 'a', doc_id: [crypto.randomUUID(), 'mine'] }, 'doc_id.1'],
  ['an owner who does not exist', { query: 'a', owners: 'nobody@example.org' }, 'owners'],
  ['an unknown field', { query: 'a', limit: 3 }, 'limit'],
]
for (const [which, body, param] of bodies) {
  test(`${which} is refused by its name`, async () => {
    const refused = await app().search(body as object)
    const promised = { status: 422, type: 'invalid_request_error', code: 'validation_failed', param } as const
    expect((await expectRefusal(refused, promised)).message).not.toBe('')
  })
}
