import { describe, expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { endlessStream, gate, hang, json, send, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'
import { rejection, startClient, textOf } from './client-under-test.ts'

const reason = new Error('the client is gone')

describe('aborting', () => {
  test('before the call rejects with the reason and opens no connection', async () => {
    await using subject = await startClient()
    expect(await rejection(subject.request({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    await subject.context()
    expect([subject.upstream.requests.length, subject.upstream.connections]).toEqual([1, 1])
  })

  test('while connecting rejects with the reason and sends nothing', async () => {
    await using subject = await startClient()
    const abort = new AbortController()
    const rejected = rejection(subject.request({ signal: abort.signal }))
    abort.abort(reason)
    expect(await rejected).toBe(reason)
    await subject.context()
    expect(subject.upstream.requests).toHaveLength(1)
  })

  test('many calls while they connect leaves no more attempts behind than are of use', async () => {
    await using subject = await startClient()
    for (let index = 0; index < 100; index++) {
      const abort = new AbortController()
      const rejected = rejection(subject.request({ signal: abort.signal }))
      abort.abort(reason)
      expect(await rejected).toBe(reason)
    }
    const [status] = await subject.context()
    expect(status).toBe(404)
    // What has connected by then is used, and what has not is taken over.
    expect(subject.upstream.connections).toBeLessThanOrEqual(32)
    expect(subject.upstream.requests).toHaveLength(1)
  })

  test('before the head rejects with the reason and closes the connection', async () => {
    await using subject = await startClient()
    subject.upstream.script([hang])
    const abort = new AbortController()
    const rejected = rejection(subject.request({ signal: abort.signal }))
    const request = await subject.upstream.nextRequest()
    abort.abort(reason)
    expect(await rejected).toBe(reason)
    await request.closed
    expect(request.aborted).toBe(true)
  })

  test('inside the head does the same', async () => {
    await using subject = await startClient()
    subject.upstream.script([send('HTTP/1.1 200 OK\r\n'), gate, hang])
    const abort = new AbortController()
    const rejected = rejection(subject.request({ signal: abort.signal }))
    const request = await subject.upstream.nextRequest()
    request.release()
    abort.abort(reason)
    expect(await rejected).toBe(reason)
    await request.closed
  })

  test('while a read waits rejects it with the reason, and all later ones', async () => {
    await using subject = await startClient()
    subject.upstream.script(stream(['one', 'two'], 'every'))
    const abort = new AbortController()
    const { body } = await subject.request({ signal: abort.signal })
    const waiting = rejection(body.read())
    abort.abort(reason)
    expect(await waiting).toBe(reason)
    expect(await rejection(body.read())).toBe(reason)
    await (
      await subject.upstream.nextRequest()
    ).closed
  })

  test('drops what has come and was not read', async () => {
    await using subject = await startClient()
    subject.upstream.script(endlessStream('again'))
    const abort = new AbortController()
    const { body } = await subject.request({ signal: abort.signal })
    const request = await subject.upstream.nextRequest()
    await until(() => request.bytesSent > 10_000)
    abort.abort(reason)
    expect(await rejection(body.read())).toBe(reason)
    await request.closed
  })

  test('while a large body is on its way out closes the connection', async () => {
    await using subject = await startClient()
    const abort = new AbortController()
    const rejected = rejection(subject.request({ signal: abort.signal, body: Buffer.alloc(64 * 1024 * 1024) }))
    await until(() => subject.upstream.openConnections === 1)
    abort.abort(reason)
    expect(await rejected).toBe(reason)
    await until(() => subject.upstream.openConnections === 0)
    expect(subject.upstream.requests).toHaveLength(0)
  })

  test('after the end does nothing, also to the next call on the connection', async () => {
    await using subject = await startClient()
    const abort = new AbortController()
    const { body } = await subject.request({ signal: abort.signal })
    await textOf(body)
    subject.upstream.script(stream(['one'], 'every'))
    const next = await subject.request()
    abort.abort(reason)
    expect(body.read()).toBeNull()
    subject.upstream.release()
    expect(await textOf(next.body)).toBe('data: one\n\n')
    expect(subject.upstream.connections).toBe(1)
  })

  test('finds no listener left behind by calls that have ended, however they ended', async () => {
    await using subject = await startClient()
    const { upstream, request } = subject
    const { signal } = new AbortController()
    const listeners = (): number => getEventListeners(signal, 'abort').length
    upstream.scriptNext(json({}), [send('nonsense')], stream(['one'], 'every'))
    await textOf((await request({ signal })).body)
    await rejection(request({ signal }))
    const { body } = await request({ signal })
    expect(listeners()).toBe(1)
    body.cancel()
    await rejection(request({ signal, path: 'not allowed' }))
    expect(listeners()).toBe(0)
  })
})
