/** 415 of POST /api/v1/documents: the body comes in an encoding. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const refusal = { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' } as const

test('a packed body is refused unread, as JSON and as a form', async () => {
  const body = gzipSync('{"files":[]}')
  for (const type of ['application/json', 'multipart/form-data; boundary=xyz']) {
    const headers = { 'content-encoding': 'gzip', 'content-type': type }
    const refused = await app().request('POST', '/api/v1/documents', { headers, body })
    expect((await expectRefusal(refused, refusal)).message).toContain('without content encoding')
  }
})
