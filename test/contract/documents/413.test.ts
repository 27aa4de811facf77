/** 413 of POST /api/v1/documents: the body is larger than the limit. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const limit = 200_000
const app = documentsOfFile({ set: [...idle, `documents.max_body_bytes=${limit}`] })
const refusal = { status: 413, type: 'request_too_large', code: 'request_too_large' } as const

test('one byte above the limit is refused, the limit itself is not', async () => {
  const path = '/api/v1/documents'
  const padded = (length: number) => '{"files":[{"name":"a","category":"c","bytes":"text"}]}'.padEnd(length)
  expect((await app().request('POST', path, { body: padded(limit) })).status).toBe(202)
  const { message } = await expectRefusal(await app().request('POST', path, { body: padded(limit + 1) }), refusal)
  expect(message).toContain(String(limit))
})

test('a body in chunks is counted', async () => {
  using client = new RawClient(app().port)
  client.write(
    rawRequest({ path: '/api/v1/documents', key: app().keys.main.secret, headers: { 'Transfer-Encoding': 'chunked' } }),
  )
  const piece = Buffer.concat([Buffer.from('186a0\r\n'), Buffer.alloc(100_000, 0x20), Buffer.from('\r\n')])
  for (let index = 0; index < 3; index += 1) await client.writeAll(piece)
  await client.untilText('"code":"request_too_large"')
  expect(client.text).toStartWith('HTTP/1.1 413')
})

test('a form above the limit is refused, and nothing of it is kept', async () => {
  const form = new FormData()
  form.append('category', 'c')
  for (const at of [1, 2, 3]) form.append('files', new Blob(['x'.repeat(100_000)]), `${at}.txt`)
  await expectRefusal(await app().form(form), refusal)
  expect(await app().onTheirWay()).toEqual([])
})

test('a field of a form that is longer than any value is refused by its name', async () => {
  const form = new FormData()
  form.append('files', new Blob(['content']), 'a.txt')
  form.append('category', 'c'.repeat(70_000))
  expect((await expectRefusal(await app().form(form), refusal)).message).toContain('"category"')
  expect(await app().onTheirWay()).toEqual([])
})

test('without a valid key it is 401, however large', async () => {
  const response = await app().request('POST', '/api/v1/documents', { key: null, body: 'x'.repeat(limit * 2) })
  expect(response.status).toBe(401)
})
