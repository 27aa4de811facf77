/** How events reach receivers that answer, fail, hang, and come back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { until } from '#test/support/until.ts'
import { accepted, addHook, anEvent, deliveriesOf, signedBy, startReceiver } from '#test/support/webhooks/receiver.ts'

const hourMs = 3_600_000

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp({ set: ['webhooks.allow_private=true'] })
})
afterAll(() => app[Symbol.asyncDispose]())

const add = (subject: string): Promise<void> => app.store.webhooks.add(anEvent(subject))

/** Attempts after which a delivery waits for the next one; each is written by then. */
async function retried(): Promise<number> {
  const { text } = await app.call('GET', '//metrics')
  return Number(/^sluice_webhook_attempts_total\{outcome="retried"\} (\d+)/m.exec(text)?.[1] ?? 0)
}

const never = new Promise<Response>(() => undefined)

describe('a delivery', () => {
  test('is signed so that the verification of the OpenAI SDK accepts it', async () => {
    await using receiver = startReceiver()
    const hook = await addHook(app, `${receiver.url}?a=1`)
    await add('doc-1')
    await until(() => receiver.received.length === 1)
    const [one] = receiver.received
    expect(one).toMatchObject({ type: 'document.completed', path: '/hook' })
    const client = new OpenAI({ apiKey: 'none' })
    const event = (await client.webhooks.unwrap(one!.body, one!.headers, hook.secret)) as unknown as { id: string }
    expect(event).toMatchObject({ object: 'event', data: { id: 'doc-1' }, id: one!.id })
    const changed = Promise.resolve(client.webhooks.unwrap(`${one!.body} `, one!.headers, hook.secret))
    expect(await changed.catch(() => 'refused')).toBe('refused')
    await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'delivered')
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('goes to the endpoints that chose its type, and to one of a user only when it is that user’s', async () => {
    await using receiver = startReceiver()
    const on = (name: string, more: object) => addHook(app, receiver.url.replace('hook', name), more)
    const hooks = [
      await on('all', {}),
      await on('other', { types: ['document.failed'] }),
      await on('user', { user_id: app.userId }),
      await on('admin', { user_id: app.adminId }),
    ]
    await app.store.webhooks.add({ ...anEvent('of-user'), userId: app.userId })
    await add('of-nobody')
    await until(() => receiver.received.length === 3)
    const got = receiver.received.map(
      ({ path, body }) => `${path} ${(JSON.parse(body) as { data: { id: string } }).data.id}`,
    )
    expect(got.sort()).toEqual(['/all of-nobody', '/all of-user', '/user of-user'])
    for (const { id } of hooks) await app.call('DELETE', `/webhooks/${id}`)
  })

  const faults: readonly (readonly [string, () => Response | Promise<Response>, number | null])[] = [
    ['500', () => new Response('no', { status: 500 }), 500],
    ['a redirect', () => Response.redirect('http://127.0.0.1:9/', 307), 307],
    ['404', () => new Response(null, { status: 404 }), 404],
    ['429', () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }), 429],
  ]
  for (const [name, answer, status] of faults) {
    test(`that is answered with ${name} is tried again with the same id until it is accepted`, async () => {
      await using receiver = startReceiver(answer)
      const before = await retried()
      const hook = await addHook(app, receiver.url)
      await add(`fault ${name}`)
      for (const attempts of [1, 2, 3]) {
        await until(async () => (await retried()) === before + attempts)
        expect(await deliveriesOf(app, hook)).toMatchObject([{ state: 'waiting', attempts, status }])
        if (attempts === 3) receiver.answer = accepted
        app.advance(3 * hourMs)
      }
      await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'delivered')
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
      for (const one of receiver.received) expect(signedBy(one, hook.secret)).toBe(true)
      expect(new Set(receiver.received.map(({ timestamp }) => timestamp)).size).toBe(receiver.received.length)
      await app.call('DELETE', `/webhooks/${hook.id}`)
    })
  }

  for (const [seconds, restMs] of [
    [600, 600_000],
    [86_400, 2 * hourMs],
  ] as const) {
    test(`that is answered with Retry-After: ${seconds} rests for ${restMs} ms`, async () => {
      await using receiver = startReceiver(
        () => new Response(null, { status: 503, headers: { 'retry-after': String(seconds) } }),
      )
      const hook = await addHook(app, receiver.url)
      const before = await retried()
      const at = app.now()
      await add(`rest ${seconds}`)
      await until(async () => (await retried()) === before + 1)
      const next = Date.parse((await deliveriesOf(app, hook))[0]?.next_attempt_at ?? '')
      expect(next - at).toBeGreaterThanOrEqual(restMs)
      expect(next - app.now()).toBeLessThanOrEqual(restMs)
      await app.call('DELETE', `/webhooks/${hook.id}`)
    })
  }

  test('to an endpoint that answers 410 is not tried again, and the endpoint is off at once', async () => {
    await using receiver = startReceiver(() => new Response(null, { status: 410 }))
    const hook = await addHook(app, receiver.url)
    await add('gone')
    await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'failed')
    const { body } = await app.call('GET', `/webhooks/${hook.id}`)
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'gone' })
    await add('after')
    expect(await deliveriesOf(app, hook)).toHaveLength(1)
    expect(app.log()).toContain('an endpoint of webhooks was switched off')
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('is given up after the time of the settings; an endpoint that failed for so long is off, and on again by hand', async () => {
    await using receiver = startReceiver(() => new Response(null, { status: 503 }))
    const hook = await addHook(app, receiver.url)
    const before = await retried()
    await add('first')
    await until(async () => (await retried()) === before + 1)
    app.advance(73 * hourMs)
    await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'failed')
    expect((await app.call('GET', `/webhooks/${hook.id}`)).body).toMatchObject({
      enabled: false,
      disabled_reason: 'failing',
    })
    receiver.answer = accepted
    const on = await app.call('PATCH', `/webhooks/${hook.id}`, { body: { enabled: true } })
    expect(on.body).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
    const since = new Date(0).toISOString()
    const replay = await app.call('POST', `/webhooks/${hook.id}/replay`, { body: { since } })
    expect(replay.body).toEqual({ replayed: 1 })
    await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'delivered')
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('can be replayed after it was accepted, with the same id and a new signature', async () => {
    await using receiver = startReceiver()
    const hook = await addHook(app, receiver.url)
    await add('again')
    await until(async () => (await deliveriesOf(app, hook))[0]?.state === 'delivered')
    const [delivery] = await deliveriesOf(app, hook)
    app.advance(2000)
    const answer = await app.call('POST', `/webhooks/${hook.id}/deliveries/${delivery!.id}/replay`)
    expect(answer.status).toBe(200)
    await until(() => receiver.received.length === 2)
    const [first, second] = receiver.received
    expect(second).toMatchObject({ id: first!.id, body: first!.body })
    expect(second!.signature).not.toBe(first!.signature)
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('is signed with both secrets after a rotation, and with the new one alone when the overlap is over', async () => {
    await using receiver = startReceiver()
    const hook = await addHook(app, receiver.url)
    const { body: rotated } = await app.call<{ secret: string }>('POST', `/webhooks/${hook.id}/rotate`, {
      body: { overlap_hours: 1 },
    })
    const signers = async (subject: string): Promise<readonly boolean[]> => {
      const before = receiver.received.length
      await add(subject)
      await until(() => receiver.received.length > before)
      const last = receiver.received.at(-1)!
      return [hook.secret, rotated.secret].map((secret) => signedBy(last, secret))
    }
    expect(await signers('both')).toEqual([true, true])
    app.advance(hourMs)
    expect(await signers('one')).toEqual([false, true])
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })
})

describe('receivers that hang', () => {
  test('delay no other one, and each has few requests at once', async () => {
    await using slow = startReceiver(() => never)
    await using quick = startReceiver()
    const hooks = []
    for (let index = 0; index < 20; index += 1)
      hooks.push(await addHook(app, slow.url.replace('hook', `slow-${index}`)))
    hooks.push(await addHook(app, quick.url))
    for (let index = 0; index < 30; index += 1) await add(`busy ${index}`)
    await until(() => quick.received.length === 30)
    expect(slow.most()).toBeLessThanOrEqual(20 * 8)
    // None of those that hang was answered.
    for (const hook of hooks.slice(0, 20))
      expect((await deliveriesOf(app, hook)).some(({ state }) => state !== 'waiting')).toBe(false)
    for (const { id } of hooks) await app.call('DELETE', `/webhooks/${id}`)
  })
})
