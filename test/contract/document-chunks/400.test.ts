/** 400 of GET /api/v1/document/{doc_id}/chunks. */
import { test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

for (const [query, param] of [
  ['from=-1', 'from'],
  ['from=x', 'from'],
  ['from=1.5', 'from'],
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['page=1', 'page'],
] as const) {
  test(`?${query} is refused by its name`, async () => {
    const [id] = await app().accepted([{ bytes: query }])
    const refused = await app().request('GET', `/api/v1/document/${id}/chunks?${query}`)
    await expectRefusal(refused, { status: 400, type: 'invalid_request_error', code: 'invalid_query_parameter', param })
  })
}
