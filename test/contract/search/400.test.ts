/** 400 of POST /api/v1/search: the body is no JSON. */
import { test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

for (const [which, body] of Object.entries({
  nothing: '',
  words: 'hello',
  'half an object': '{"query":"a"',
  'Latin-1': Buffer.from('{"query":"größe"}', 'latin1'),
})) {
  test(`a body of ${which} is refused`, async () => {
    const refused = await app().request('POST', '/api/v1/search', { body })
    await expectRefusal(refused, { status: 400, type: 'invalid_request_error', code: 'invalid_json' })
  })
}
