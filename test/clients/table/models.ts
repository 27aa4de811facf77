/** Models whose providers have different APIs, all acted by the scripted upstream. */
import { expect } from 'bun:test'
import type { GatewayApp } from '#test/support/app/gateway-app.ts'
import { modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'

/** What the providers have. Rerank is an endpoint of the first two. */
export const providerApis = [
  'chat completions only',
  'the Responses API, too',
  'Anthropic',
  'the Responses API, which stores nothing',
] as const

/** The name of a model for each API. */
export async function modelsOfEveryApi(gateway: GatewayApp): Promise<Readonly<Record<string, string>>> {
  const provider = { name: 'anthropic', kind: 'anthropic', base_url: gateway.upstream.url, credential: 'sk-ant' }
  const { id } = (await (await gateway.operate('POST', '/providers', provider)).json()) as { readonly id: string }
  const claude = { name: 'claude', provider_id: id, upstream_name: 'claude-sonnet-4-5' }
  expect((await gateway.operate('POST', '/models', claude)).status).toBe(201)
  const responses = await modelWithEndpoints(gateway, ['responses', 'chat/completions', 'rerank'])
  const unkept = await modelWithEndpoints(gateway, ['responses', 'chat/completions', 'rerank'], false)
  return {
    [providerApis[0]]: 'plain',
    [providerApis[1]]: responses,
    [providerApis[2]]: claude.name,
    [providerApis[3]]: unkept,
  }
}
