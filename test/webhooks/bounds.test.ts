/** How many deliveries wait, and what a receiver cannot do to the server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { waitingMax } from '#store/webhooks/outbox.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { until } from '#test/support/until.ts'
import { accepted, addHook, anEvent, deliveriesOf, startReceiver } from '#test/support/webhooks/receiver.ts'

let app: AdminApp
/** Waits long enough for a receiver on a busy machine: what is not answered in time is sent again. */
let patient: AdminApp
beforeAll(async () => {
  app = await startAdminApp({ set: ['webhooks.allow_private=true', 'webhooks.timeout_seconds=1'] })
  patient = await startAdminApp({ set: ['webhooks.allow_private=true', 'webhooks.timeout_seconds=60'] })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await patient[Symbol.asyncDispose]()
})

const { promise: never } = Promise.withResolvers<Response>()

describe('deliveries that wait for a receiver that was away', () => {
  for (const count of [1, 30, 900]) {
    test(`arrive once each when it is back: ${count}`, async () => {
      const receiver = startReceiver()
      const hook = await addHook(patient, receiver.url)
      await patient.call('PATCH', `/webhooks/${hook.id}`, { body: { url: 'http://127.0.0.1:9/' } })
      await using _closed = receiver
      const at = Date.now() + 3_600_000
      for (let index = 0; index < count; index += 1) await patient.store.webhooks.add(anEvent(`${count}-${index}`, at))
      expect(await patient.store.webhooks.waiting()).toBe(count)
      await patient.call('PATCH', `/webhooks/${hook.id}`, { body: { url: receiver.url } })
      patient.advance(3_600_000)
      await until(() => receiver.received.length === count)
      await until(async () => (await patient.store.webhooks.waiting()) === 0)
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(count)
      expect(receiver.received).toHaveLength(count)
      expect(receiver.most()).toBeLessThanOrEqual(8)
      await patient.call('DELETE', `/webhooks/${hook.id}`)
      expect(await patient.store.webhooks.deliveries(hook.id, { limit: 1 })).toEqual({ items: [], nextCursor: null })
    }, 120_000)
  }

  test('are bounded: one more is counted, and not stored', async () => {
    const hook = await addHook(patient, 'http://127.0.0.1:9/')
    const at = Date.now() + 3_600_000
    for (let index = 0; index < waitingMax; index += 1) await patient.store.webhooks.add(anEvent(`${index}`, at))
    expect((await patient.call('GET', `/webhooks/${hook.id}`)).body).toMatchObject({ dropped: 0 })
    await patient.store.webhooks.add(anEvent('too many', at))
    expect(await patient.store.webhooks.waiting()).toBe(waitingMax)
    expect((await patient.call('GET', `/webhooks/${hook.id}`)).body).toMatchObject({ dropped: 1 })
    await patient.call('DELETE', `/webhooks/${hook.id}`)
  }, 120_000)
})

describe('an answer', () => {
  /** A stream of this many megabytes; null never ends. */
  const flood = (megabytes: number | null): Response => {
    let sent = 0
    const chunk = new Uint8Array(1024 * 1024)
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (megabytes !== null && sent >= megabytes) return controller.close()
      sent += 1
      controller.enqueue(chunk)
    }
    return new Response(new ReadableStream({ pull }))
  }

  test('that is huge or endless counts by its status, and is not kept', async () => {
    await using receiver = startReceiver(({ path }) => flood(path === '/endless' ? null : 200))
    const before = process.memoryUsage.rss()
    for (const name of ['huge', 'endless']) {
      const hook = await addHook(app, receiver.url.replace('hook', name))
      const { body } = await app.call('POST', `/webhooks/${hook.id}/test`)
      expect(body).toMatchObject({ delivered: true, status: 200 })
      await app.call('DELETE', `/webhooks/${hook.id}`)
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024)
  })

  test('that never comes ends the attempt after the time of the settings', async () => {
    await using receiver = startReceiver(() => never)
    const hook = await addHook(app, receiver.url)
    const { body } = await app.call('POST', `/webhooks/${hook.id}/test`)
    expect(body).toMatchObject({ delivered: false, status: null, error: expect.stringContaining('within 1 seconds') })
    await app.store.webhooks.add(anEvent('hanging'))
    await until(async () => (await deliveriesOf(app, hook))[0]?.error?.includes('within') === true)
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('of a redirect leads nowhere, wherever it points', async () => {
    await using target = startReceiver()
    await using receiver = startReceiver(() => Response.redirect(target.url, 308))
    const hook = await addHook(app, receiver.url)
    const { body } = await app.call('POST', `/webhooks/${hook.id}/test`)
    expect(body).toMatchObject({ delivered: false, status: 308, error: expect.stringContaining('Redirects') })
    expect(target.received).toEqual([])
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('of nobody: the port is closed, the connection breaks, it is not HTTP', async () => {
    const broken = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => socket.terminate() },
    })
    const babbling = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end('SSH-2.0-babble\r\n') },
    })
    const errors: string[] = []
    for (const port of [9, broken.port, babbling.port]) {
      const hook = await addHook(app, `http://127.0.0.1:${port}/`)
      const { body } = await app.call<{ error: string }>('POST', `/webhooks/${hook.id}/test`)
      errors.push(body.error)
      await app.call('DELETE', `/webhooks/${hook.id}`)
    }
    broken.stop(true)
    babbling.stop(true)
    expect(errors.map((error) => /No connection|closed|not valid/.exec(error)?.[0])).toEqual([
      'No connection',
      'closed',
      'not valid',
    ])
  })

  test('on a connection that the receiver closes at its second request is asked for on a new one', async () => {
    let requests = 0
    const closing = Bun.listen<{ answered: boolean }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => void (socket.data = { answered: false }),
        data(socket) {
          requests += 1
          if (socket.data.answered) socket.terminate()
          else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
          socket.data.answered = true
        },
      },
    })
    const hook = await addHook(app, `http://127.0.0.1:${closing.port}/`)
    for (let ping = 0; ping < 3; ping += 1) {
      const { body } = await app.call('POST', `/webhooks/${hook.id}/test`)
      expect(body).toMatchObject({ delivered: true, status: 204 })
    }
    // The second and the third ping were sent twice.
    expect(requests).toBe(5)
    closing.stop(true)
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })

  test('to a ping is asked of an endpoint that is off, too', async () => {
    await using receiver = startReceiver(accepted)
    const hook = await addHook(app, receiver.url)
    await app.call('PATCH', `/webhooks/${hook.id}`, { body: { enabled: false } })
    const { body } = await app.call('POST', `/webhooks/${hook.id}/test`)
    expect(body).toMatchObject({ delivered: true, status: 204 })
    expect(receiver.received).toMatchObject([{ type: 'ping' }])
    await app.call('DELETE', `/webhooks/${hook.id}`)
  })
})
