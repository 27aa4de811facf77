/** Webhooks of several processes on one PostgreSQL. */
import { describe, expect, test } from 'bun:test'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { makeCluster } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { anEvent, startReceiver } from '#test/support/webhooks/receiver.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const set = ['webhooks.allow_private=true', 'webhooks.timeout_seconds=2']

interface Hook {
  readonly id: string
}

describe.skipIf(serverUrl === undefined)(`three processes${reason}`, () => {
  test('deliver each event once while they live', async () => {
    await using cluster = await makeCluster(String(serverUrl), 10)
    await using receiver = startReceiver()
    const replicas = [
      await cluster.start(undefined, set),
      await cluster.start(undefined, set),
      await cluster.start(undefined, set),
    ]
    const [one] = replicas
    const hooks = []
    for (const name of ['a', 'b']) {
      const url = receiver.url.replace('hook', name)
      hooks.push(await one!.admin<Hook>('POST', '/webhooks', { url, types: ['document.completed'] }))
    }
    await using store = Object.assign(
      await openStore({ url: cluster.schema.url, sealer: sealer(new Uint8Array(32).fill(7)) }),
      { [Symbol.asyncDispose]: () => store.close() },
    )
    for (let index = 0; index < 300; index += 1) await store.webhooks.add(anEvent(`doc-${index}`))
    await until(async () => (await store.webhooks.waiting()) === 0)
    const each = receiver.received.map(({ path, id }) => `${path} ${id}`)
    expect([each.length, new Set(each).size]).toEqual([600, 600])
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(300)
    const counts = await Promise.all(
      replicas.map(async ({ url }) => {
        const text = await (await fetch(`${url}/metrics`)).text()
        return Number(/^sluice_webhook_attempts_total\{outcome="delivered"\} (\d+)/m.exec(text)?.[1] ?? 0)
      }),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(600)
  }, 60_000)

  test('take over what a process that stopped had under way, and tell a provider’s fall once', async () => {
    await using cluster = await makeCluster(String(serverUrl), 10)
    let [hold] = [true]
    const { promise: never } = Promise.withResolvers<Response>()
    await using receiver = startReceiver(() => (hold ? never : new Response(null, { status: 200 })))
    const [one, two] = [await cluster.start(undefined, set), await cluster.start(undefined, set)]
    const { id } = await one.admin<Hook>('POST', '/webhooks', { url: receiver.url, types: ['document.completed'] })
    const store = await openStore({ url: cluster.schema.url, sealer: sealer(new Uint8Array(32).fill(7)) })
    await store.webhooks.add(anEvent('held'))
    await until(() => receiver.underWay() === 1)
    hold = false
    await one.app.close()
    await until(async () => (await store.webhooks.waiting()) === 0)
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1)
    const { data } = await two.admin<{ data: { state: string }[] }>('GET', `/webhooks/${id}/deliveries`)
    expect(data.map(({ state }) => state)).toEqual(['delivered'])
    const event = { type: 'provider.down', subject: 'p', at: 1, userId: null } as const
    const told = await Promise.all([1, 2, 3].map(() => store.webhooks.tellOnce('provider:p', event)))
    expect(told.filter(Boolean)).toHaveLength(1)
    expect(await store.webhooks.told('provider:')).toEqual(['provider:p'])
    expect(await store.webhooks.tellEnd('provider:p', null)).toBe(true)
    await store.close()
  }, 60_000)
})
