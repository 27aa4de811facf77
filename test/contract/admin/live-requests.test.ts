/** Requests as they end, as server-sent events: what each viewer is shown, and when its stream ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { LiveStream, type LiveEvent } from '#test/support/app/live-stream.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let upstream: Upstream
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
  const provider = await app.call<{ id: string }>('POST', '/providers', {
    body: { name: 'up', base_url: upstream.url },
  })
  for (const name of ['one', 'two']) {
    const body = { name, provider_id: provider.body.id }
    expect((await app.call('POST', '/models', { body })).status).toBe(201)
  }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

function watching(query = '', { key = app.adminKey, own = false, after = '' } = {}): Promise<LiveStream> {
  const headers = { authorization: `Bearer ${key}`, ...(after !== '' && { 'last-event-id': after }) }
  return LiveStream.open(`${app.url}/admin/api/v1/${own ? 'me/' : ''}live/requests${query}`, headers)
}

let count = 0
async function ask(model: string, key = app.adminKey): Promise<string> {
  const id = `live-${++count}`
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
  await app.call('POST', '//ai/v1/chat/completions', { key, body, headers: { 'x-request-id': id } })
  return id
}

describe('the stream of requests', () => {
  test('has each request as the list has it, once it has ended', async () => {
    await using stream = await watching()
    const id = await ask('one')
    const { name, data } = await stream.next()
    expect(name).toBe('request')
    await app.usageRows(count)
    expect(data).toEqual((await app.call<LiveEvent['data']>('GET', `/requests/${id}`)).body)
  })

  test('shows what its filters name and nothing else', async () => {
    const keyId = (await app.call<{ data: { id: string; user_id: string }[] }>('GET', '/keys')).body.data.find(
      ({ user_id: userId }) => userId === app.userId,
    )?.id
    const group = await app.call<{ id: string }>('POST', '/groups', { body: { name: 'seen' } })
    const joined = await app.call('PUT', `/users/${app.userId}/groups/${group.body.id}`)
    expect(joined.status).toBe(204)
    upstream.scriptNext(json(chatCompletion()), json(errorObject('Broken.'), 500), json(chatCompletion()))
    const filters: Record<string, readonly number[]> = {
      '': [0, 1, 2],
      '?model=two': [1],
      '?provider=up': [0, 1, 2],
      '?provider=down': [],
      '?status=error': [1],
      '?status=success': [0, 2],
      [`?user_id=${app.userId}`]: [2],
      [`?key_id=${keyId}`]: [2],
      [`?group_id=${group.body.id}`]: [2],
      [`?group_id=${group.body.id}&model=two`]: [],
    }
    const streams = await Promise.all(Object.keys(filters).map((query) => watching(query)))
    const ids = [await ask('one'), await ask('two'), await ask('one', app.userKey)]
    const last = await ask('one')
    for (const [at, expected] of Object.values(filters).entries()) {
      const stream = streams[at]!
      const wanted = expected.map((each) => ids[each])
      const seen: string[] = []
      while (seen.length < wanted.length) seen.push((await stream.next()).data['request_id'] as string)
      expect([Object.keys(filters)[at], seen]).toEqual([Object.keys(filters)[at], wanted as string[]])
    }
    // The stream without filters has had everything by now, and no other has had more than its own.
    expect((await streams[0]!.next()).data['request_id']).toBe(last)
    for (const [at, stream] of streams.entries()) {
      const more = stream.waiting.map(({ data }) => data['request_id'])
      expect([at, more.filter((id) => id !== last)]).toEqual([at, []])
      await stream[Symbol.asyncDispose]()
    }
  })

  test('of a user has the own requests only, whatever is asked for', async () => {
    await using stream = await watching('', { key: app.userKey, own: true })
    await ask('one')
    const own = await ask('one', app.userKey)
    expect((await stream.next()).data['request_id']).toBe(own)
    const refused = await app.call('GET', `/me/live/requests?user_id=${app.userId}`, { key: app.userKey })
    expect([refused.status, refused.code]).toEqual([400, 'invalid_query_parameter'])
  })

  test('goes on behind the last event that a viewer has had, with those that ended while it was away', async () => {
    await using first = await watching()
    await ask('one')
    const { id } = await first.next()
    await first[Symbol.asyncDispose]()
    const missed = [await ask('one'), await ask('two')]
    await using again = await watching('', { after: id })
    for (const each of missed) expect((await again.next()).data['request_id']).toBe(each)
    await using lost = await watching('', { after: '00000000-1' })
    expect(await lost.next()).toMatchObject({ name: 'missed', data: { count: null } })
  })

  test('is the same for a hundred viewers', async () => {
    const streams = await Promise.all(Array.from({ length: 100 }, () => watching()))
    const ids = [await ask('one'), await ask('two'), await ask('one')]
    for (const stream of streams) {
      for (const id of ids) expect((await stream.next()).data['request_id']).toBe(id)
      await stream[Symbol.asyncDispose]()
    }
  })

  test('ends when the viewer may not watch any more, and after some minutes, so that it comes back', async () => {
    const made = await app.call<{ id: string }>('POST', '/users', {
      body: { email: 'leaves@example.org', role: 'admin', password: 'a long enough secret' },
    })
    const key = await app.call<{ secret: string }>('POST', `/users/${made.body.id}/keys`, { body: { name: 'k' } })
    await using lost = await watching('', { key: key.body.secret })
    await using stays = await watching()
    await app.call('PATCH', `/users/${made.body.id}`, { body: { role: 'user' } })
    // Also while requests never stop: the first that ends is not shown any more.
    const unseen = await ask('one')
    await lost.ended
    expect((await stays.next()).data['request_id']).toBe(unseen)
    app.advance(6 * 60_000)
    await stays.ended
    expect([lost.waiting, stays.waiting]).toEqual([[], []])
  })
})
