/**
 * Requests of agents that are not libraries, written down by their public sources, with models of providers of every API:
 * the model calls a tool, and the agent gets the call under its own name. Codex is in codex.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { acted } from '#test/support/upstream/acted-turn.ts'
import { claudeCode } from './requests/claude-code.ts'
import { continueAgent } from './requests/continue.ts'
import { openCodeChat, openCodeResponses } from './requests/opencode.ts'
import { modelsOfEveryApi, providerApis } from './table/models.ts'

let gateway: GatewayApp
let models: Readonly<Record<string, string>>
beforeAll(async () => {
  gateway = await startGateway()
  models = await modelsOfEveryApi(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

for (const { agent, path, headers, body, calls, seen, last } of [
  claudeCode,
  continueAgent,
  openCodeChat,
  openCodeResponses,
]) {
  describe(agent, () => {
    for (const api of providerApis) {
      test(`goes on with a tool, with a provider of ${api}`, async () => {
        const args = '{"query":"run"}'
        gateway.upstream.script(acted({ thought: 'I look it up.', call: { id: 'call_02', name: calls, args } }))
        const response = await gateway.request('POST', path, {
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ model: models[api], ...body }),
        })
        const answer = await response.text()
        expect([response.status, answer]).toEqual([200, expect.stringContaining(`"name":"${calls}"`)])
        expect(response.headers.get('x-sluice-dropped-tools')).toBeNull()
        expect(answer.trim().split('\n').at(-1)).toContain(last)
        const sent = new TextDecoder().decode(gateway.upstream.requests.at(-1)!.body)
        for (const each of seen) expect(sent).toContain(each)
      })
    }
  })
}

test('Claude Code counts its tokens first', async () => {
  const { messages, system, tools } = claudeCode.body
  const response = await gateway.request('POST', '/ai/v1/messages/count_tokens?beta=true', {
    headers: { 'content-type': 'application/json', ...claudeCode.headers },
    body: JSON.stringify({ model: 'plain', messages, system, tools }),
  })
  expect([response.status, await response.json()]).toEqual([200, { input_tokens: expect.any(Number) }])
})
