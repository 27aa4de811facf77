/** Webhooks in the admin API. What reaches the receivers is in test/webhooks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventTypes } from '#store/webhooks/outbox.ts'
import { allItems, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { until } from '#test/support/until.ts'
import { addHook, anEvent, deliveriesOf, startReceiver, type DeliveryOnWire } from '#test/support/webhooks/receiver.ts'

interface Hook {
  readonly id: string
  readonly url: string
}

const unknownId = 'b7e0a0f4-5f0e-4a55-9d6b-000000000000'
const away = 'https://receiver.example.org/hook'

let app: AdminApp
beforeAll(async () => void (app = await startAdminApp()))
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const { id } of await list()) await app.store.webhooks.delete(id)
})

async function list(): Promise<readonly Hook[]> {
  return (await app.call<{ data: Hook[] }>('GET', '/webhooks')).body.data
}

describe('an endpoint', () => {
  test('is added with all types when none are named, listed, changed and removed', async () => {
    const { status, body } = await app.call<Hook>('POST', '/webhooks', { body: { url: away } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      url: away,
      description: '',
      types: [...eventTypes],
      user_id: null,
      enabled: true,
      dropped: 0,
    })
    const change = { description: 'of the operators', types: ['provider.down'], url: `${away}/2` }
    const changed = await app.call('PATCH', `/webhooks/${body.id}`, { body: change })
    expect(changed.body).toMatchObject(change)
    expect((await app.call('GET', `/webhooks/${body.id}`)).body).toEqual(changed.body)
    expect(await list()).toEqual([changed.body as Hook])
    const off = await app.call('PATCH', `/webhooks/${body.id}`, { body: { enabled: false } })
    expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'administrator' })
    expect((await app.call('PATCH', `/webhooks/${body.id}`, { body: {} })).body).toEqual(off.body)
    expect((await app.call('DELETE', `/webhooks/${body.id}`)).status).toBe(204)
    expect((await app.call('DELETE', `/webhooks/${body.id}`)).status).toBe(404)
  })

  test('shows its secret at its creation and at a rotation, and never again; the database has it sealed', async () => {
    const { body } = await app.call<Hook & { secret: string }>('POST', '/webhooks', { body: { url: away } })
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const rotated = await app.call<{ secret: string }>('POST', `/webhooks/${body.id}/rotate`, { body: {} })
    expect(rotated.body.secret).not.toBe(body.secret)
    for (const path of ['/webhooks', `/webhooks/${body.id}`])
      expect((await app.call('GET', path)).text).not.toContain('whsec_')
    const copy = join(tmpdir(), `webhooks-${crypto.randomUUID()}.db`)
    await app.store.backup(copy)
    const bytes = await Bun.file(copy).text()
    await Bun.file(copy).delete()
    expect(bytes).toContain(away)
    for (const { secret } of [body, rotated.body]) expect(bytes).not.toContain(secret.slice(6, 30))
  })

  test('that does not exist is 404 at each address', async () => {
    const { id } = await addHook(app, away)
    const bodies: Readonly<Record<string, object | undefined>> = {
      'PATCH /:id': {},
      'POST /:id/rotate': {},
      'POST /:id/test': undefined,
      'POST /:id/replay': { since: '2026-01-01T00:00:00Z' },
      'POST /:id/deliveries/none/replay': undefined,
    }
    for (const [address, body] of Object.entries(bodies)) {
      const [method = '', path = ''] = address.split(' ')
      const { status, code } = await app.call(method, `/webhooks${path.replace(':id', unknownId)}`, { body })
      expect([address, status, code]).toEqual([address, 404, 'not_found'])
    }
    const other = await app.call('POST', `/webhooks/${id}/deliveries/none/replay`)
    expect(other.status).toBe(404)
    const ofNobody = await app.call('POST', '/webhooks', { body: { url: away, user_id: unknownId } })
    expect([ofNobody.status, ofNobody.code]).toEqual([404, 'not_found'])
  })

  test('beyond the hundredth is 409', async () => {
    for (let index = 0; index < 100; index += 1) await addHook(app, `${away}/${index}`)
    const { status, code } = await app.call('POST', '/webhooks', { body: { url: away } })
    expect([status, code]).toEqual([409, 'conflict'])
  })

  test('with a field that cannot be is 422 and names the field', async () => {
    const { id } = await addHook(app, away)
    const wrong: readonly (readonly [object, string])[] = [
      [{ url: 'ftp://example.org/' }, 'url'],
      [{ url: 'example.org' }, 'url'],
      [{ url: 'https://ada:secret@example.org/' }, 'url'],
      [{ url: 'https://example.org/#part' }, 'url'],
      [{ url: `https://example.org/${'x'.repeat(2000)}` }, 'url'],
      [{ types: [] }, 'types'],
      [{ types: ['document.completed', 'document.completed'] }, 'types'],
      [{ types: ['nothing.happened'] }, 'types.0'],
      [{ description: 7 }, 'description'],
    ]
    for (const [fields, param] of wrong) {
      const answers = [
        await app.call('POST', '/webhooks', { body: { url: away, ...fields } }),
        await app.call('PATCH', `/webhooks/${id}`, { body: fields }),
      ]
      for (const { status, code, param: named } of answers)
        expect([fields, status, code, named]).toEqual([fields, 422, 'validation_failed', param])
    }
    for (const hours of [-1, 721, 'x'])
      expect((await app.call('POST', `/webhooks/${id}/rotate`, { body: { overlap_hours: hours } })).status).toBe(422)
    expect((await app.call('POST', `/webhooks/${id}/replay`, { body: { since: 'yesterday' } })).status).toBe(422)
  })

  test('whose URL is written as a private address is 422, in every spelling', async () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '10.0.0.1',
      '192.168.0.1',
      '169.254.169.254',
    ]
    const more = [
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[fd00::1]',
      '[fe80::1]',
      '[64:ff9b::7f00:1]',
      'localhost',
      'LOCALHOST',
    ]
    for (const host of [...hosts, ...more]) {
      const { status, param } = await app.call('POST', '/webhooks', { body: { url: `http://${host}:8080/` } })
      expect([host, status, param]).toEqual([host, 422, 'url'])
    }
    expect(await list()).toEqual([])
  })
})

describe('a receiver whose name leads to a private address', () => {
  test('gets no request, and the test and the log say why', async () => {
    await using receiver = startReceiver()
    // The name is no IP address, and a resolver may answer it as it likes.
    const hook = await addHook(app, `http://localhost.:${receiver.port}/hook`)
    const attempt = await app.call<{ delivered: boolean; error: string }>('POST', `/webhooks/${hook.id}/test`)
    expect(attempt.body.delivered).toBe(false)
    expect(attempt.body.error).toContain('private')
    await app.store.webhooks.add(anEvent('doc'))
    await until(async () => (await deliveriesOf(app, hook))[0]?.error?.includes('private') === true)
    expect(receiver.received).toEqual([])
  })
})

describe('the log of deliveries', () => {
  test('has each once over its pages, the newest first, and is narrowed by state', async () => {
    const hook = await addHook(app, away)
    await app.store.webhooks.update(hook.id, { url: 'http://127.0.0.1:9/' })
    for (let index = 0; index < 25; index += 1)
      await app.store.webhooks.add(anEvent(`doc-${index}`, Date.now() + index * 1000))
    const seen = new Set<string>()
    const path = `/webhooks/${hook.id}/deliveries`
    const all = await allItems<DeliveryOnWire & { created_at: string }>(app, path, 7)
    for (const { id } of all) seen.add(id)
    expect([all.length, seen.size]).toEqual([25, 25])
    const times = all.map(({ created_at: at }) => at)
    expect(times).toEqual(times.toSorted().toReversed())
    expect((await app.call<{ data: unknown[] }>('GET', `${path}?state=delivered`)).body.data).toEqual([])
    expect((await app.call('GET', `${path}?state=lost`)).param).toBe('state')
  })
})
