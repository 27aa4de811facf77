/** 401 and 405 below /ai/v1/responses/{id}: who is not known learns nothing, and other methods are refused. */
import { expect, test } from 'bun:test'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { askStored } from '#test/support/upstream/stored-response.ts'

const gateway = gatewayOfFile()

test('a caller without a key is refused before anything is looked up', async () => {
  for (const below of ['', '/cancel', '/input_items', '/nothing']) {
    const refused = await askStored(gateway(), 'resp_1', { key: null, below })
    await expectRefusal(refused, { status: 401, type: 'authentication_error', code: 'missing_api_key' })
  }
})

test('a method that an address does not take is named with those that it takes', async () => {
  const allowed = { '': 'GET, DELETE, HEAD', '/cancel': 'POST', '/input_items': 'GET, HEAD' }
  for (const [below, allow] of Object.entries(allowed)) {
    const refused = await askStored(gateway(), 'resp_1', { method: 'PUT', below })
    expect(refused.headers.get('allow')).toBe(allow)
    await expectRefusal(refused, { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' })
  }
})
