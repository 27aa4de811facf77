import { expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import { until } from '#test/support/until.ts'
import { gate, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'

const files = filesOfTest()

test('what a running batch has written has no ranges, since lines may come before others; its end has', async () => {
  const { gateway, get, uploaded, create } = files()
  gateway.upstream.script((request) =>
    JSON.stringify(request.json()).includes('slow') ? [gate, ...openAiAnswer(request)] : openAiAnswer(request),
  )
  const url = '/v1/chat/completions'
  const lines = ['slow', 'quick'].map((id) => {
    const body = { model: 'plain', messages: [{ role: 'user', content: id }] }
    return JSON.stringify({ custom_id: id, method: 'POST', url, body })
  })
  const { id: fileId } = await uploaded(lines.join('\n'))
  const { id } = (await (
    await create({ input_file_id: fileId, endpoint: url, completion_window: '24h' })
  ).json()) as BatchOnWire
  let batch = {} as BatchOnWire
  const read = async (): Promise<BatchOnWire> => (batch = (await (await get(`/batches/${id}`)).json()) as BatchOnWire)
  await until(async () => (await read()).request_counts.completed === 1)
  const content = `/files/${batch.output_file_id}/content`
  const whole = await (await get(content)).text()
  const asked = await get(content, { headers: { range: 'bytes=5-', 'if-none-match': '*' } })
  expect([asked.status, asked.headers.get('accept-ranges'), asked.headers.get('etag')]).toEqual([200, 'none', null])
  expect(await asked.text()).toBe(whole)
  expect(whole).toContain('quick')
  gateway.upstream.release()
  await until(async () => (await read()).status === 'completed')
  const rest = await get(content, { headers: { range: `bytes=-${Buffer.byteLength(whole)}` } })
  expect([rest.status, await rest.text()]).toEqual([206, whole])
})
