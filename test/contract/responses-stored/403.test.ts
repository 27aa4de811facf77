/** 403 below /ai/v1/responses/{id}: access to the model is checked at each request. */
import { beforeAll, expect, test } from 'bun:test'
import { nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { askStored, makeResponse } from '#test/support/upstream/stored-response.ts'

const gateway = gatewayOfFile()
beforeAll(() => gateway().upstream.script(keepingProvider()))

const denied = { status: 403, type: 'permission_error', code: 'model_access_denied' } as const

test('a key whose scopes leave out the model', async () => {
  const id = await makeResponse(gateway(), { model: await nativeModel(gateway(), responsesEndpoint) })
  await expectRefusal(await askStored(gateway(), id, { key: gateway().keys.slashedOnly }), denied)
})

test('an account that has lost the model since', async () => {
  const model = await nativeModel(gateway(), responsesEndpoint)
  const id = await makeResponse(gateway(), { model })
  const listed = (await (await gateway().operate('GET', '/models?limit=200')).json()) as {
    readonly data: readonly { readonly id: string; readonly name: string }[]
  }
  const modelId = listed.data.find(({ name }) => name === model)?.id ?? ''
  const groups = { groups: [gateway().closedGroupId] }
  const changed = await gateway().operate('PATCH', `/models/${modelId}`, groups)
  expect([changed.status, await changed.text()]).toEqual([200, expect.any(String)])
  const before = gateway().upstream.requests.length
  await expectRefusal(await askStored(gateway(), id), denied)
  expect(gateway().upstream.requests.length).toBe(before)
})
