/** GET /metrics: what was counted, in Prometheus' text format. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { sampleUsage } from '#test/support/upstream/upstream-samples.ts'

test('is 200 to anybody, in the format that Prometheus reads', async () => {
  await using gateway = await startGateway()
  const response = await gateway.request('GET', '/metrics', { key: null })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  for (const line of (await response.text()).split('\n'))
    expect(line).toMatch(/^(|# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+.\dNaInfe]+)$/)
})

test('counts requests by model, status and code, their tokens, and those in flight', async () => {
  await using gateway = await startGateway()
  await (await gateway.chat({ model: 'plain-alias' })).arrayBuffer()
  await (await gateway.stream()).arrayBuffer()
  await gateway.chat({ model: 'no-such-model' })
  await gateway.chat({ model: 'on-refusing' })
  const held = await holdStream(gateway, 'plain')
  const of = (model: string, status: number, code: string) =>
    gateway.metric(
      `sluice_requests_total{endpoint="chat/completions",model="${model}",status="${status}",code="${code}"}`,
    )
  expect(await of('plain', 200, '')).toBe(2)
  expect(await of('unknown', 404, 'model_not_found')).toBe(1)
  expect(await of('on-refusing', 502, 'upstream_error')).toBe(1)
  expect(await gateway.metric('sluice_tokens_total{model="plain",direction="input"}')).toBe(
    2 * sampleUsage.prompt_tokens,
  )
  expect(await gateway.metric('sluice_inflight_requests{model="plain"}')).toBe(1)
  expect(await gateway.metric('sluice_upstream_errors_total{provider="refusing",reason="upstream_error"}')).toBe(1)
  expect(await gateway.metric('sluice_first_token_seconds_count{model="plain"}')).toBe(2)
  await held.finish()
})

test('has the names of the conventions for generative AI when metrics.gen_ai is set', async () => {
  await using gateway = await startGateway({ set: ['metrics.gen_ai=true'] })
  await (await gateway.stream({ model: 'plain-alias' })).arrayBuffer()
  const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="up",gen_ai_request_model="plain"'
  for (const name of ['server_request_duration_seconds_count', 'server_time_to_first_token_seconds_count']) {
    const end = name.includes('duration') ? ',error_type=""' : ''
    expect([name, await gateway.metric(`gen_ai_${name}{${labels}${end}}`)]).toEqual([name, 1])
  }
  expect(await gateway.metric(`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"}`)).toBe(
    sampleUsage.completion_tokens,
  )
})

test('grows by no label that a caller chooses', async () => {
  await using gateway = await startGateway()
  const lines = async () => (await (await gateway.request('GET', '/metrics')).text()).split('\n').length
  const ask = async (name: string) => {
    await gateway.chat({ model: name })
    await gateway.request('GET', `/${name}`)
    await gateway.request('GET', `/ai/v1/${name}`, { key: null })
  }
  await ask('first')
  const before = await lines()
  for (let index = 0; index < 20; index += 1) await ask(`made-up-${index}`)
  expect(await lines()).toBe(before)
})

test("asks for an administrator's key when metrics.require_key is set", async () => {
  await using gateway = await startGateway({ set: ['metrics.require_key=true'] })
  const get = (key: (typeof gateway.keys)['main'] | null) => gateway.request('GET', '/metrics', { key })
  expect((await get(gateway.keys.admin)).status).toBe(200)
  await expectRefusal(await get(gateway.keys.main), { status: 403, type: 'permission_error', code: 'admin_required' })
  expect((await get(null)).status).toBe(401)
})
