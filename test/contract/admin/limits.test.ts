import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, userEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { gate, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let upstream: Upstream
let modelId: string
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
  upstream.script([gate, ...json(chatCompletion())])
  const provider = await app.call<{ id: string }>('POST', '/providers', {
    body: { name: 'upstream', base_url: upstream.url },
  })
  modelId = (
    await app.call<{ id: string }>('POST', '/models', { body: { name: 'slow', provider_id: provider.body.id } })
  ).body.id
  await app.call('PUT', '/settings/limits.realtime_inflight.enforce', { body: { value: true } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

function chat() {
  return app.call('POST', '//ai/v1/chat/completions', {
    key: app.userKey,
    body: { model: 'slow', messages: [{ role: 'user', content: 'Hello' }] },
  })
}

async function inUse(): Promise<number | undefined> {
  const { body } = await app.call<{ data: { model: string; in_use: number }[] }>('GET', '/inflight')
  return body.data.find((entry) => entry.model === 'slow')?.in_use
}

describe('in-flight limits', () => {
  test('an account’s own limit holds for the next request, and the model’s again when it is removed', async () => {
    const path = `/models/${modelId}/inflight-limits`
    const set = await app.call('PUT', `${path}/${app.userId}`, { body: { limit: 1 } })
    expect(set.body).toEqual({ user_id: app.userId, limit: 1, etag: expect.any(String) })
    expect((await app.call<unknown>('GET', path)).body).toEqual({ data: [set.body] })

    expect((await app.call<unknown>('GET', '/inflight-limits')).body).toEqual({
      data: [{ ...(set.body as object), user: userEmail, model_id: modelId, model: 'slow' }],
    })
    expect(await inUse()).toBe(0)
    const first = chat()
    await upstream.nextRequest()
    expect(await inUse()).toBe(1)
    expect((await chat()).code).toBe('inflight_limit_exceeded')

    expect((await app.call('DELETE', `${path}/${app.userId}`)).status).toBe(204)
    expect((await app.call<unknown>('GET', '/inflight-limits')).body).toEqual({ data: [] })
    const second = chat()
    await upstream.nextRequest()
    expect(await inUse()).toBe(2)
    upstream.release(2)
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    expect(await inUse()).toBe(0)
  })

  test('the model’s own limit can be changed at run time', async () => {
    await app.call('PATCH', `/models/${modelId}`, { body: { inflight_limit: 1 } })
    const first = chat()
    await upstream.nextRequest()
    expect((await chat()).code).toBe('inflight_limit_exceeded')
    upstream.release()
    expect((await first).status).toBe(200)
  })

  test('a user or model that does not exist, a limit that is not set, and one below 1', async () => {
    const path = `/models/${modelId}/inflight-limits`
    expect((await app.call('PUT', `${path}/${crypto.randomUUID()}`, { body: { limit: 1 } })).status).toBe(404)
    expect(
      (await app.call('PUT', `/models/${crypto.randomUUID()}/inflight-limits/${app.userId}`, { body: { limit: 1 } }))
        .status,
    ).toBe(404)
    expect((await app.call('DELETE', `${path}/${app.adminId}`)).status).toBe(404)
    expect((await app.call('PUT', `${path}/${app.userId}`, { body: { limit: 0 } })).param).toBe('limit')
  })
})
