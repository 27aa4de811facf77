/** 200 of GET, DELETE and POST …/cancel below /ai/v1/responses/{id}: the provider's own answer, for its owner. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { compositeOf, gatewayOfFile, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { askStored, makeResponse } from '#test/support/upstream/stored-response.ts'
import { until } from '#test/support/until.ts'

const gateway = gatewayOfFile()
let model = ''
beforeAll(async () => {
  gateway().upstream.script(keepingProvider())
  model = await nativeModel(gateway(), responsesEndpoint)
})

describe('an answer that was stored', () => {
  test('is asked for at its provider with every parameter of the query, and comes as it is', async () => {
    const id = await makeResponse(gateway(), { model })
    const options = { below: '/input_items?limit=2&include=a%26b', headers: { 'x-request-id': 'items' } }
    const response = await askStored(gateway(), id, options)
    expect([response.status, response.headers.get('x-sluice-provider')]).toEqual([200, model])
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'msg_0' }, { id: 'msg_1' }] })
    const received = await gateway().received('items')
    expect([received.method, received.target]).toEqual(['GET', `/v1/responses/${id}/input_items?limit=2&include=a%26b`])
    expect([received.body.length, received.header('content-type')]).toEqual([0, null])
    expect(received.header('authorization')).toBeNull()
  })

  test('is there for every key of its account', async () => {
    const id = await makeResponse(gateway(), { model })
    const response = await askStored(gateway(), id, { key: gateway().keys.second })
    expect([response.status, await response.json()]).toMatchObject([200, { id }])
  })

  test('of a composite is asked for where it was made, whichever component would be next', async () => {
    const names = await Promise.all([0, 1, 2].map(() => modelWithEndpoints(gateway(), ['responses'])))
    const composite = await compositeOf(
      gateway(),
      names.map((name) => ({ model: name, priority: 0 })),
      { strategy: 'weighted' },
    )
    for (let round = 0; round < 12; round += 1) {
      const made = await askDialect(gateway(), responsesEndpoint, { model: composite })
      const { id } = (await made.json()) as { readonly id: string }
      const provider = made.headers.get('x-sluice-provider')
      const next = await askDialect(gateway(), responsesEndpoint, { model: composite, previous_response_id: id })
      expect([next.status, next.headers.get('x-sluice-provider')]).toEqual([200, provider])
      expect((await askStored(gateway(), id)).headers.get('x-sluice-provider')).toBe(provider)
    }
  })

  test('takes no slot, so it can be asked for at the limit of requests in flight', async () => {
    const id = await makeResponse(gateway(), { model })
    expect((await askStored(gateway(), id)).headers.get('x-sluice-inflight-used')).toBeNull()
    const running = await askDialect(gateway(), responsesEndpoint, { model, stream: true })
    const sample = `sluice_inflight_requests{model="${model}"}`
    expect((await askStored(gateway(), id)).status).toBe(200)
    expect(await gateway().metric(sample)).toBe(1)
    gateway().upstream.release()
    await running.text()
    await until(async () => (await gateway().metric(sample)) === 0)
  })
})

describe('tokens', () => {
  const asked = (requestId: string) => ({ headers: { 'x-request-id': requestId } })

  test('of an answer in the background are counted once, when they are first shown', async () => {
    const id = await makeResponse(gateway(), { model, background: true }, asked('background-made'))
    for (const requestId of ['poll-1', 'poll-2', 'poll-3']) await askStored(gateway(), id, asked(requestId))
    const counted = await Promise.all(
      ['background-made', 'poll-1', 'poll-2', 'poll-3'].map(
        async (each) => (await gateway().usageOf(each)).promptTokens,
      ),
    )
    expect(counted).toEqual([null, null, 25, null])
    expect(await gateway().usageOf('poll-2')).toMatchObject({
      endpoint: 'responses/retrieve',
      modelServed: model,
      provider: model,
      completionTokens: 15,
    })
  })

  test('of any other answer are counted when it is made, and not again', async () => {
    const id = await makeResponse(gateway(), { model }, asked('made'))
    await askStored(gateway(), id, asked('made-shown'))
    expect((await gateway().usageOf('made')).promptTokens).toBe(25)
    expect((await gateway().usageOf('made-shown')).promptTokens).toBeNull()
  })

  test('of a background stream are counted by it, or by the one that resumes it', async () => {
    const streamed = await askDialect(
      gateway(),
      responsesEndpoint,
      { model, background: true, stream: true },
      asked('bg'),
    )
    gateway().upstream.release()
    const id = /"id":"(resp_kept\w+)"/.exec(await streamed.text())?.[1] ?? ''
    const again = await askStored(gateway(), id, { below: '?stream=true&starting_after=4', ...asked('bg-resumed') })
    gateway().upstream.release()
    expect(await again.text()).toContain('response.completed')
    expect((await gateway().usageOf('bg')).promptTokens).toBe(25)
    expect((await gateway().usageOf('bg-resumed')).promptTokens).toBeNull()
  })
})

test('a conversation stays with the provider that was the first to have it, and with its account', async () => {
  const conversation = `conv_${crypto.randomUUID().replaceAll('-', '')}`
  const elsewhere = await modelWithEndpoints(gateway(), ['responses'])
  await makeResponse(gateway(), { model, conversation })
  const composite = await compositeOf(gateway(), [elsewhere, model])
  const next = await askDialect(gateway(), responsesEndpoint, { model: composite, conversation: { id: conversation } })
  expect([next.status, next.headers.get('x-sluice-provider')]).toEqual([200, model])
})
