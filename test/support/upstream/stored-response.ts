/** Answers of the Responses API that a provider keeps, as the tests of them ask for them. */
import { expect } from 'bun:test'
import { askDialect, responsesEndpoint, type Fields } from '../contract/dialect-contract.ts'
import type { ChatOptions, GatewayApp } from '../app/gateway-app.ts'

/** Makes an answer; returns its id. */
export async function makeResponse(gateway: GatewayApp, fields: Fields, options?: ChatOptions): Promise<string> {
  const response = await askDialect(gateway, responsesEndpoint, fields, options)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.any(String)])
  return (JSON.parse(text) as { readonly id: string }).id
}

/** A request for an answer by its id, or for what is below it. */
export function askStored(
  gateway: GatewayApp,
  id: string,
  { method = 'GET', below = '', ...options }: ChatOptions & { readonly method?: string; readonly below?: string } = {},
): Promise<Response> {
  return gateway.request(method, `/ai/v1/responses/${id}${below}`, options)
}
