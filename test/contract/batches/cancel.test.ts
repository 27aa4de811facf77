/** Cancelling in every state, and by many at once: a batch ends once, and each line that was read is accounted for. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import { until } from '#test/support/until.ts'
import { gate, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'

const files = filesOfTest()
const endpoint = '/v1/chat/completions'

const work = (most: number): Promise<Response> =>
  files().gateway.operate('PUT', '/settings/batches.concurrency', { value: most })
beforeEach(() => files().gateway.upstream.script(openAiAnswer))
afterEach(() => work(64))

const lines = (count: number, content = 'a'): string =>
  Array.from({ length: count }, (_each, at) => {
    const body = { model: 'plain', messages: [{ role: 'user', content }] }
    return JSON.stringify({ custom_id: `${at}`, method: 'POST', url: endpoint, body })
  }).join('\n')

const cancel = (id: string): Promise<Response> => files().gateway.request('POST', `/ai/v1/batches/${id}/cancel`)

async function read(id: string): Promise<BatchOnWire> {
  return (await (await files().get(`/batches/${id}`)).json()) as BatchOnWire
}

test('before its lines were read it ends without any', async () => {
  await work(0)
  const { begun, ended } = files()
  const { id, status } = await begun(lines(5), endpoint)
  const cancelled = (await (await cancel(id)).json()) as BatchOnWire
  expect([status, cancelled.status]).toEqual(['validating', 'cancelling'])
  // Once more is the same.
  expect(((await (await cancel(id)).json()) as BatchOnWire).status).toBe('cancelling')
  await work(64)
  const batch = await ended(id)
  expect(batch).toMatchObject({
    status: 'cancelled',
    output_file_id: null,
    error_file_id: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
  })
  expect((await cancel(id)).status).toBe(409)
  expect((await files().gateway.request('DELETE', `/ai/v1/files/${batch.input_file_id}`)).status).toBe(200)
})

test('by many at once while lines run it ends once, and answers that come later are in no file', async () => {
  const { gateway, begun, ended, results } = files()
  gateway.upstream.script((request) => [gate, ...openAiAnswer(request)])
  const { id } = await begun(lines(120), endpoint)
  await until(() => gateway.upstream.requests.length > 3)
  const before = gateway.upstream.requests.length
  const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  gateway.upstream.release(before)
  const batch = await ended(id)
  const { total, completed, failed } = batch.request_counts
  expect([batch.status, total, completed + failed]).toEqual(['cancelled', 120, 120])
  const written = await results(batch)
  expect(new Set(written.map(({ custom_id: customId }) => customId)).size).toBe(120)
  expect(written.filter(({ error }) => error?.code === 'batch_cancelled')).toHaveLength(failed)
})

test('when it has failed, completed or expired it stays as it is', async () => {
  const { gateway, begun, ended } = files()
  const refused = await ended((await begun('nonsense', endpoint)).id)
  const completed = await ended((await begun(lines(2), endpoint)).id)
  await work(0)
  const late = await begun(lines(2), endpoint)
  gateway.advance(25 * 3_600_000)
  await work(64)
  const expired = await ended(late.id)
  expect([refused.status, completed.status, expired.status]).toEqual(['failed', 'completed', 'expired'])
  for (const { id, status } of [refused, completed, expired]) {
    expect((await cancel(id)).status).toBe(409)
    expect((await read(id)).status).toBe(status)
  }
  expect((await cancel('batch_none')).status).toBe(404)
})
