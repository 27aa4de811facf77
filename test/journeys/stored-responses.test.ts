/** Answers that a provider keeps are found after a restart, and after a crash right behind the answer. */
import { expect, test } from 'bun:test'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import { systemClock as clock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'
import { openApp } from '#src/app.ts'
import { askDialect, nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { keepingProvider } from '#test/support/upstream/keeping-provider.ts'
import { makeResponse } from '#test/support/upstream/stored-response.ts'

/** A second server on the same database: what a restart finds, and what another process sees. */
async function startAgain(gateway: GatewayApp) {
  const config = loadConfig({ environment: {}, directory: '/', overrides: ['server.port=0', 'server.drain_seconds=0'] })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const settings = new LiveSettings(config.settings, config.sources)
  const logger = createLogger({ level: 'silent', format: 'json', clock, write: () => {} })
  const app = await openApp({ settings, store: await gateway.openStoreAgain(), clock, logger, version: '0.0.0' })
  return { url: `http://127.0.0.1:${app.listen().port}`, [Symbol.asyncDispose]: () => app.close() }
}

const statusOf = async (url: string, id: string, secret: string): Promise<number> =>
  (await fetch(`${url}/ai/v1/responses/${id}`, { headers: { authorization: `Bearer ${secret}` } })).status

test('an answer that was made before a restart is asked for after it, by its owner only', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script(keepingProvider())
  const id = await makeResponse(gateway, { model: await nativeModel(gateway, responsesEndpoint) })
  await gateway.app.close()
  await using again = await startAgain(gateway)
  const { main, second, other } = gateway.keys
  for (const [key, status] of [
    [main, 200],
    [second, 200],
    [other, 404],
  ] as const)
    expect(await statusOf(again.url, id, key.secret)).toBe(status)
})

test('an answer is known to every process before its client knows its id, streamed or not', async () => {
  await using gateway = await startGateway()
  gateway.upstream.script(keepingProvider())
  const model = await nativeModel(gateway, responsesEndpoint)
  await using again = await startAgain(gateway)
  for (let round = 0; round < 20; round += 1) {
    const id = await makeResponse(gateway, { model })
    expect(await statusOf(again.url, id, gateway.keys.main.secret)).toBe(200)
  }
  const streamed = await askDialect(gateway, responsesEndpoint, { model, stream: true })
  const reader = streamed.body!.getReader()
  const first = Buffer.from((await reader.read()).value ?? []).toString()
  const id = /"id":"(resp_\w+)"/.exec(first)?.[1] ?? ''
  expect(await statusOf(again.url, id, gateway.keys.main.secret)).toBe(200)
  await reader.cancel()
})
