/** Imports whose bodies do not arrive: they keep no other import waiting. */
import { expect, test } from 'bun:test'
import { documentsOfFile, eventually, idle } from '#test/support/app/documents-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'

const budget = 1_048_576
const app = documentsOfFile({ set: [...idle, `documents.bytes_in_flight=${budget}`] })
const path = '/api/v1/documents'

function stalled(length: string, beginning = '{"files":['): RawClient {
  const client = new RawClient(app().port)
  client.write(rawRequest({ path, key: app().keys.main.secret, headers: { 'Content-Length': length } }))
  client.write(beginning)
  return client
}

test('connections that stop in the middle of a large body keep nobody waiting', async () => {
  using stack = new DisposableStack()
  for (let at = 0; at < 3; at += 1) stack.use(stalled(String(budget), '{"files":['.padEnd(budget / 2)))
  await eventually(async () => (await app().onTheirWay()).length === 3)
  await app().accepted([{ bytes: 'a text '.repeat(budget / 7) }])
  await app().accepted([{ bytes: 'small' }], {}, { key: app().keys.other })
})

test('a declared length above the limit is refused before it can take the place of others', async () => {
  using client = stalled('99999999999')
  await client.untilText('"code":"request_too_large"')
  expect(client.text).toStartWith('HTTP/1.1 413')
  await app().accepted([{ bytes: 'another text '.repeat(budget / 13) }])
})

test('large bodies leave nothing in the spool, whether they are imported or refused', async () => {
  await app().accepted([{ bytes: 'a third text '.repeat(budget / 13) }])
  expect((await app().import('no list'.padEnd(budget))).status).toBe(422)
  expect((await app().request('POST', path, { body: '{'.padEnd(budget) })).status).toBe(400)
  expect(await app().onTheirWay()).toEqual([])
})
