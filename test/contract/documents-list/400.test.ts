/** 400 of GET /api/v1/documents: a parameter that does not exist or has a value that it may not have. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const refusal = { status: 400, type: 'invalid_request_error' } as const

const queries: readonly (readonly [string, string, string])[] = [
  ['a limit of zero', '?limit=0', 'limit'],
  ['a limit above 200', '?limit=201', 'limit'],
  ['a limit that is no number', '?limit=ten', 'limit'],
  ['a state that there is not', '?state=done', 'state'],
  ['no state between two commas', '?state=queued,,failed', 'state'],
  ['an owner who does not exist', '?owner=nobody@example.org', 'owner'],
  ['an unknown parameter', '?colour=red', 'colour'],
  ['a parameter that comes twice', '?category=a&category=b', 'category'],
]
for (const [which, query, param] of queries) {
  test(`${which} is refused by its name`, async () => {
    const refused = await app().request('GET', `/api/v1/documents${query}`)
    const promised = { ...refusal, code: 'invalid_query_parameter', param } as const
    expect((await expectRefusal(refused, promised)).message).toContain(`"${param}"`)
  })
}

test('a cursor that is not ours is refused', async () => {
  for (const cursor of ['x', Buffer.from('["a"]').toString('base64url')]) {
    const refused = await app().request('GET', `/api/v1/documents?cursor=${cursor}`)
    await expectRefusal(refused, { ...refusal, code: 'invalid_cursor', param: 'cursor' })
  }
})
