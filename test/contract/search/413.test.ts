/** 413 of POST /api/v1/search: no question is that long. */
import { test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

test('a body above a mebibyte is refused', async () => {
  const refused = await app().request('POST', '/api/v1/search', { body: '{"query":"a"}'.padEnd(1_048_577) })
  await expectRefusal(refused, { status: 413, type: 'request_too_large', code: 'request_too_large' })
})
