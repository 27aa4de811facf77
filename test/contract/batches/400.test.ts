import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest({ set: ['batches.max_file_bytes=1000', 'batches.open_max=2', 'batches.concurrency=0'] })
const body = { endpoint: '/v1/chat/completions', completion_window: '24h' }

test('a field that is missing or has no such value is named', async () => {
  const { create, refusal, uploaded } = files()
  const { id } = await uploaded('{}')
  for (const [more, param] of [
    [{ input_file_id: 5 }, 'input_file_id'],
    [{ endpoint: '/v1/images/generations' }, 'endpoint'],
    [{ endpoint: null }, 'endpoint'],
    [{ completion_window: '30m' }, 'completion_window'],
    [{ completion_window: '0h' }, 'completion_window'],
    [{ completion_window: '721h' }, 'completion_window'],
    [{ completion_window: 24 }, 'completion_window'],
    [{ metadata: [] }, 'metadata'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}`, ''])) }, 'metadata'],
    [{ output_expires_after: { anchor: 'now', seconds: 3600 } }, 'output_expires_after'],
    [{ output_expires_after: { anchor: 'created_at', seconds: 1 } }, 'expires_after.seconds'],
  ] as const)
    expect(await refusal(await create({ ...body, input_file_id: id, ...more }))).toEqual([400, 'invalid_body', param])
  expect((await refusal(await create('[]')))[1]).toBe('invalid_body')
  expect((await refusal(await create('{')))[1]).toBe('invalid_json')
})

test('the file must be for batches, and not too large', async () => {
  const { create, refusal, uploaded } = files()
  for (const file of [await uploaded('{}', 'user_data'), await uploaded('x'.repeat(1001))])
    expect(await refusal(await create({ ...body, input_file_id: file.id }))).toEqual([
      400,
      'invalid_body',
      'input_file_id',
    ])
})

test("a file of another account is not one of one's own", async () => {
  const { create, refusal, uploaded, gateway } = files()
  const { id } = await uploaded('{}')
  const answer = await create({ ...body, input_file_id: id }, { key: gateway.keys.other })
  expect(await refusal(answer)).toEqual([404, 'file_not_found', 'id'])
})

test('an account has no more batches under way than it may', async () => {
  const { create, refusal, uploaded } = files()
  const { id } = await uploaded('{}')
  const asked = { ...body, input_file_id: id }
  expect([(await create(asked)).status, (await create(asked)).status]).toEqual([200, 200])
  expect((await refusal(await create(asked)))[1]).toBe('rate_limit_exceeded')
})
