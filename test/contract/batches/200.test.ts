/** What a batch tells of its lines: what they cost, and which errors they had. */
import { beforeAll, expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import { until } from '#test/support/until.ts'
import { json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const files = filesOfTest()
const endpoint = '/v1/chat/completions'

interface Tokens {
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

interface Told extends BatchOnWire {
  readonly cost: number | null
  readonly currency: string
  readonly model?: string
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number }
  readonly failures: readonly { readonly code: string; readonly count: number }[]
}

beforeAll(async () => {
  const { gateway } = files()
  const { data } = (await (await gateway.operate('GET', '/models')).json()) as {
    readonly data: readonly { readonly id: string; readonly name: string }[]
  }
  const id = data.find(({ name }) => name === 'plain')?.id
  const rates = { input: 2_000_000_000, output: 10_000_000_000 }
  expect((await gateway.operate('POST', `/models/${id}/prices`, { rates })).status).toBe(201)
})

test('it has the cost of the usage records of its lines, and counts failed ones by the code of their error', async () => {
  const { gateway, uploaded, create, get } = files()
  const texts = ['answered', 'refused', 'answered', 'refused', 'answered']
  gateway.upstream.script((request) =>
    Buffer.from(request.body).includes('"refused"') ? json(errorObject('no'), 400) : openAiAnswer(request),
  )
  const lines = texts.map((content, at) => {
    const body = { model: 'plain', messages: [{ role: 'user', content }] }
    return JSON.stringify({ custom_id: `${at}`, method: 'POST', url: endpoint, body })
  })
  const { id: inputId } = await uploaded(lines.join('\n'))
  const made = await create({ input_file_id: inputId, endpoint, completion_window: '24h' })
  let batch = (await made.json()) as Told
  expect(batch).toMatchObject({ cost: null, currency: 'USD', failures: [] })
  await until(async () => {
    batch = (await (await get(`/batches/${batch.id}`)).json()) as Told
    return batch.status === 'completed'
  })
  expect(batch.failures).toEqual([{ code: 'upstream_rejected', count: 2 }])
  const requests = async (): Promise<readonly { readonly cost: number | null }[]> => {
    const answer = await gateway.operate('GET', '/requests?limit=100')
    return ((await answer.json()) as { readonly data: readonly { readonly cost: number | null }[] }).data
  }
  await until(async () => (await requests()).length === texts.length)
  const cost = (await requests()).reduce((sum, each) => sum + (each.cost ?? 0), 0)
  expect(batch.cost).toBe(cost)
  expect(cost).toBeGreaterThan(0)

  const output = await (await get(`/files/${batch.output_file_id}/content`)).text()
  const usages = output
    .trim()
    .split('\n')
    .map((each) => (JSON.parse(each) as { response: { body: { usage: Tokens } } }).response.body.usage)
  const input = usages.reduce((sum, { prompt_tokens: tokens }) => sum + tokens, 0)
  const generated = usages.reduce((sum, { completion_tokens: tokens }) => sum + tokens, 0)
  expect(usages).toHaveLength(3)
  expect(input).toBeGreaterThan(0)
  expect(batch).toMatchObject({
    model: 'plain',
    usage: { input_tokens: input, output_tokens: generated, total_tokens: input + generated },
  })
})
