import { describe, expect, test } from 'bun:test'
import {
  answer,
  close,
  closeReused,
  endlessStream,
  gate,
  json,
  reset,
  send,
  stream,
} from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'
import { failureOf, startClient, textOf } from './client-under-test.ts'

const idleMs = 60_000

describe('a connection', () => {
  test('is used again for the next call, whichever framing the answer had', async () => {
    await using subject = await startClient()
    const { upstream, context } = subject
    upstream.scriptNext(json({ a: 1 }), stream(['one']), json({ a: 2 }))
    for (let index = 0; index < 3; index++) await context()
    expect(upstream.requests.map(({ connection, indexOnConnection }) => [connection, indexOnConnection])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
    ])
  })

  test('is used by one call at a time', async () => {
    await using subject = await startClient()
    const { upstream, request, context } = subject
    upstream.scriptNext(stream(['one'], 'every'))
    const { body } = await request()
    expect(await context()).toEqual([404, expect.any(String)])
    upstream.release()
    await textOf(body)
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([0, 1])
  })

  test('that was used last is used first', async () => {
    await using subject = await startClient()
    const { upstream, request, context } = subject
    upstream.script(stream(['one'], 'every'))
    const [first, second] = [await request(), await request()]
    upstream.release(2)
    await textOf(second.body)
    await textOf(first.body)
    upstream.script(json({}))
    await context()
    expect(upstream.requests.at(-1)?.connection).toBe(0)
  })

  test('of its own is made when the call asks for one', async () => {
    await using subject = await startClient()
    await subject.context()
    await subject.context({ reuseConnection: false })
    expect(subject.upstream.requests.map(({ connection }) => connection)).toEqual([0, 1])
  })

  test('is not shared with another host name or port', async () => {
    await using subject = await startClient()
    const { client, upstream } = subject
    const { port } = new URL(upstream.url)
    expect(client.origin(`http://127.0.0.1:${port}/other/path`)).toBe(subject.origin)
    expect(client.origin(`http://localhost:${port}`)).not.toBe(subject.origin)
    expect(client.origin('http://127.0.0.1')).not.toBe(subject.origin)
    expect(client.origin('https://a.example')).not.toBe(client.origin('https://a.example', { ca: 'pem' }))
  })

  test('is closed after an answer that says so', async () => {
    await using subject = await startClient()
    subject.upstream.script(json({}, 200, { Connection: 'close' }))
    expect(await subject.context()).toEqual([200, '{}'])
    await until(() => subject.upstream.openConnections === 0)
  })

  test('is closed when bytes follow the answer, which is delivered', async () => {
    await using subject = await startClient()
    subject.upstream.script([send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n')])
    expect(await subject.context()).toEqual([200, 'ok'])
    await until(() => subject.upstream.openConnections === 0)
  })

  test('is closed when bytes come that nobody asked for', async () => {
    await using subject = await startClient()
    const { upstream, context } = subject
    upstream.script([...json({}), gate, send('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')])
    expect(await context()).toEqual([200, '{}'])
    upstream.release()
    await until(() => upstream.openConnections === 0)
    upstream.script(json({ next: true }))
    expect(await context()).toEqual([200, '{"next":true}'])
  })

  test('is closed by cancelling a body, at once', async () => {
    await using subject = await startClient()
    subject.upstream.script(endlessStream('again'))
    const { body } = await subject.request()
    await body.read()
    body.cancel()
    expect(body.read()).toBeNull()
    await (
      await subject.upstream.nextRequest()
    ).closed
    await until(() => subject.upstream.openConnections === 0)
  })

  test('that waits for a body ends that wait when the body is cancelled', async () => {
    await using subject = await startClient()
    subject.upstream.script(stream(['one'], 'every'))
    const { body } = await subject.request()
    const waiting = body.read()
    body.cancel()
    expect(await waiting).toBeNull()
    await until(() => subject.upstream.openConnections === 0)
  })

  test('is kept when a body is cancelled after its end', async () => {
    await using subject = await startClient()
    const { body } = await subject.request()
    await textOf(body)
    body.cancel()
    await subject.context()
    expect(subject.upstream.connections).toBe(1)
  })
})

describe('an idle connection', () => {
  test('is closed after its time', async () => {
    await using subject = await startClient({ idleMs })
    await subject.context()
    subject.clock.advance(idleMs - 1)
    await subject.context()
    expect(subject.upstream.connections).toBe(1)
    subject.clock.advance(idleMs)
    await until(() => subject.upstream.openConnections === 0)
  })

  test('that has outlived its time is not used even before it is closed', async () => {
    await using subject = await startClient({ idleMs })
    await subject.context()
    // No turn of the event loop lies between the two, so no tick either.
    subject.clock.advance(idleMs)
    await subject.context()
    expect(subject.upstream.requests.map(({ connection }) => connection)).toEqual([0, 1])
  })

  test('is closed a second before the server would', async () => {
    await using subject = await startClient({ idleMs })
    subject.upstream.script(json({}, 200, { 'Keep-Alive': 'timeout=5' }))
    await subject.context()
    subject.clock.advance(3999)
    await subject.context()
    subject.clock.advance(4000)
    await subject.context()
    expect(subject.upstream.requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
  })

  test('is not kept beyond the number allowed', async () => {
    await using subject = await startClient({ idleMaxPerOrigin: 2 })
    const { upstream, request } = subject
    upstream.script(stream(['one'], 'every'))
    const replies = await Promise.all(Array.from({ length: 5 }, () => request()))
    expect(upstream.openConnections).toBe(5)
    upstream.release(5)
    await Promise.all(replies.map(({ body }) => textOf(body)))
    await until(() => upstream.openConnections === 2)
  })

  for (const [name, ending] of [
    ['closes', close],
    ['resets', reset],
  ] as const) {
    test(`that the server ${name} is not used again`, async () => {
      await using subject = await startClient()
      const { upstream, context } = subject
      upstream.script([...answer(200, {}, 'ok'), gate, ending])
      await context()
      upstream.release()
      await until(() => upstream.openConnections === 0)
      upstream.script(json({}))
      expect(await context()).toEqual([200, '{}'])
      expect(upstream.connections).toBe(2)
    })
  }

  test('that the server closes on the next request fails it as reused and unanswered', async () => {
    await using subject = await startClient()
    const { upstream, context, request } = subject
    upstream.script(closeReused)
    await context()
    const failure = await failureOf(request())
    expect([failure.kind, failure.answered, failure.reused]).toEqual(['reset', false, true])
    expect((await context({ reuseConnection: false }))[0]).toBe(404)
  })

  test('that the server resets inside the next head fails it as answered', async () => {
    await using subject = await startClient()
    subject.upstream.scriptNext(json({}), [send('HTTP'), reset])
    await subject.context()
    const failure = await failureOf(subject.request())
    expect([failure.kind, failure.answered, failure.reused]).toEqual(['reset', true, true])
  })
})
