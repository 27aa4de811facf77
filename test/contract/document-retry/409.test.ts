/** 409 of POST /api/v1/document/{doc_id}/retry: the same file was imported again meanwhile. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })

test('a cancelled document is not processed beside the one that took its place, which is named', async () => {
  const [cancelled] = await app().accepted([{ bytes: 'twice' }])
  expect(await app().statusOf('POST', `/api/v1/document/${cancelled}/cancel`, app().keys.main)).toBe(200)
  const [alive] = await app().accepted([{ bytes: 'twice' }])
  const refused = await app().request('POST', `/api/v1/document/${cancelled}/retry`)
  const { message } = await expectRefusal(refused, { status: 409, type: 'invalid_request_error', code: 'conflict' })
  expect(message).toContain(alive!)
  expect((await app().record(cancelled!)).state).toBe('cancelled')
})
