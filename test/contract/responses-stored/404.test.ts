/** 404 below /ai/v1/responses/{id}: what was never stored, is gone, or is somebody else's. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { askStored, makeResponse } from '#test/support/upstream/stored-response.ts'
import { openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()
let model = ''
beforeAll(async () => {
  const keeping = keepingProvider()
  gateway().upstream.script((request) => (request.path.startsWith('/v1/responses') ? keeping : openAiAnswer)(request))
  model = await nativeModel(gateway(), responsesEndpoint)
})

const notFound = {
  status: 404,
  code: 'response_not_found',
  type: 'not_found_error',
  param: 'response_id',
} as const

const ways = [{}, { method: 'DELETE' }, { method: 'POST', below: '/cancel' }, { below: '/input_items' }] as const

describe('nothing is asked of a provider', () => {
  test('for an id that was never given out, whatever it looks like', async () => {
    const before = gateway().upstream.requests.length
    for (const id of ['resp_unknown', '..%2F..%2Fmodels', '%00', 'a'.repeat(1000)])
      for (const way of ways) await expectRefusal(await askStored(gateway(), id, way), notFound)
    expect(gateway().upstream.requests.length).toBe(before)
  })

  test('for the answer of another account, which cannot be built upon either', async () => {
    const id = await makeResponse(gateway(), { model })
    const before = gateway().upstream.requests.length
    const others = { key: gateway().keys.other }
    for (const way of ways) await expectRefusal(await askStored(gateway(), id, { ...way, ...others }), notFound)
    const fields = { model, previous_response_id: id }
    await expectRefusal(await askDialect(gateway(), responsesEndpoint, fields, others), {
      status: 400,
      code: 'previous_response_not_found',
      type: 'invalid_request_error',
      param: 'previous_response_id',
    })
    expect(gateway().upstream.requests.length).toBe(before)
    expect((await askStored(gateway(), id)).status).toBe(200)
  })

  test('for an answer that was not to be stored', async () => {
    for (const asked of [model, 'plain']) {
      const id = await makeResponse(gateway(), { model: asked, store: false })
      await expectRefusal(await askStored(gateway(), id), notFound)
    }
  })

  test('for one that was deleted', async () => {
    const id = await makeResponse(gateway(), { model })
    expect((await askStored(gateway(), id, { method: 'DELETE' })).status).toBe(200)
    const before = gateway().upstream.requests.length
    await expectRefusal(await askStored(gateway(), id), notFound)
    expect(gateway().upstream.requests.length).toBe(before)
  })
})

test("one that its provider has forgotten is passed on in the provider's words, and forgotten when it is deleted", async () => {
  const id = await makeResponse(gateway(), { model })
  gateway().upstream.script(keepingProvider('resp_other'))
  for (const method of ['GET', 'DELETE']) {
    const gone = await askStored(gateway(), id, { method })
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining(`Response with id '${id}'`)])
  }
  await expectRefusal(await askStored(gateway(), id), notFound)
})

test('a conversation of another account is unknown, and so is a new one where it is open who has it', async () => {
  gateway().upstream.script(keepingProvider('resp_conv'))
  const conversation = 'conv_of_main'
  await makeResponse(gateway(), { model, conversation })
  const refused = {
    status: 404,
    code: 'conversation_not_found',
    type: 'not_found_error',
    param: 'conversation',
  } as const
  const others = { key: gateway().keys.other }
  await expectRefusal(await askDialect(gateway(), responsesEndpoint, { model, conversation }, others), refused)
  const elsewhere = await modelWithEndpoints(gateway(), ['responses'])
  await expectRefusal(await askDialect(gateway(), responsesEndpoint, { model: elsewhere, conversation }), refused)
})
