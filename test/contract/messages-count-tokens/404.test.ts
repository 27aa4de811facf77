/** 403 and 404 of POST /ai/v1/messages/count_tokens: models that the caller cannot have. */
import { test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { messagesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'

const gateway = gatewayOfFile()

const models: readonly (readonly [string, number, ErrorCode])[] = [
  ['unheard-of', 404, 'model_not_found'],
  ['inactive', 404, 'model_not_found'],
  ['private', 403, 'model_access_denied'],
]
for (const [model, status, code] of models) {
  test(`the model ${model} is ${status}, although no provider would be asked`, async () => {
    const body = JSON.stringify({ ...messagesEndpoint.fields, model })
    const refused = await gateway().request('POST', '/ai/v1/messages/count_tokens', { body })
    await messagesEndpoint.refusal(refused, { status, code, param: 'model' })
  })
}
