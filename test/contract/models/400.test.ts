/** 400 of GET /ai/v1/models: a filter that cannot be read. */
import { afterAll, beforeAll, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const invalid = { status: 400, type: 'invalid_request_error' } as const

test('a group that is no UUID is invalid_group, wherever it stands in the list', async () => {
  const { teamGroupId } = gateway
  for (const value of [
    'team',
    `${teamGroupId},x`,
    `x,${teamGroupId}`,
    teamGroupId.slice(1),
    `${teamGroupId}0`,
    'null',
  ]) {
    const refused = await gateway.request('GET', `/ai/v1/models?group=${encodeURIComponent(value)}`)
    await expectRefusal(refused, { ...invalid, code: 'invalid_group', param: 'group' })
  }
})

for (const param of ['available_for_realtime', 'include_reasoning_capabilities']) {
  test(`${param} takes nothing but true and false`, async () => {
    for (const value of ['', '1', '0', 'yes', 'null', 'truee']) {
      const refused = await gateway.request('GET', `/ai/v1/models?${param}=${value}`)
      await expectRefusal(refused, { ...invalid, code: 'invalid_query_parameter', param })
    }
  })
}

for (const param of ['group', 'available_for_realtime', 'include_reasoning_capabilities']) {
  test(`${param} given twice is refused, even with the same value`, async () => {
    const value = param === 'group' ? gateway.teamGroupId : 'true'
    const refused = await gateway.request('GET', `/ai/v1/models?${param}=${value}&${param}=${value}`)
    await expectRefusal(refused, { ...invalid, code: 'invalid_query_parameter', param })
  })
}
