import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  answer,
  brokenStream,
  close,
  cutBody,
  cutInsideEvent,
  eventText,
  gate,
  head,
  json,
  reset,
  send,
  sendSplit,
  stream,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { refusingUrl } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'
import { aRequest, failureOf, startClient, textOf, type ClientUnderTest } from './client-under-test.ts'

let subject: ClientUnderTest

beforeEach(async () => {
  subject = await startClient()
})
afterEach(() => subject[Symbol.asyncDispose]())

describe('what was sent', () => {
  test('arrives as it is, with the host that was called', async () => {
    const { upstream, context } = subject
    upstream.script(json({}))
    await context({ path: '/v1/a?b=c', headers: { 'x-a': 'Zürich' }, body: Buffer.from('payload') })
    const request = await upstream.nextRequest()
    expect([request.method, request.target]).toEqual(['POST', '/v1/a?b=c'])
    expect(request.header('host')).toBe(new URL(upstream.url).host)
    expect(request.header('x-a')).toBe('Zürich')
    expect(Buffer.from(request.body).toString()).toBe('payload')
  })

  test('is nothing at all when a header has a line break', async () => {
    const { upstream, request, context } = subject
    const reason = await request({ headers: { 'x-a': 'a\r\nx-b: c' } }).catch((thrown: unknown) => thrown)
    expect(reason).toBeInstanceOf(TypeError)
    await context()
    expect([upstream.requests.length, upstream.connections]).toEqual([1, 1])
  })
})

describe('an answer', () => {
  const splitAnswers: Readonly<Record<string, string>> = {
    'with a content-length': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello',
    'in chunks':
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n',
    'after an interim one': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  }
  for (const [name, text] of Object.entries(splitAnswers)) {
    test(`${name} is the same at every split, on one connection`, async () => {
      const bytes = Buffer.from(text)
      for (let cut = 1; cut < bytes.length; cut++) {
        subject.upstream.scriptNext(sendSplit(bytes, [cut]))
        expect(await subject.context()).toEqual([200, 'hello'])
      }
      expect(subject.upstream.connections).toBe(1)
    })
  }

  test('without a framing ends in good order with the connection', async () => {
    subject.upstream.script([head(200), send('all there is'), close])
    expect(await subject.context()).toEqual([200, 'all there is'])
    await until(() => subject.upstream.openConnections === 0)
  })

  test('to HEAD, and a 204 and a 304, have no body and leave the connection usable', async () => {
    const { upstream, context } = subject
    upstream.scriptNext([head(200, { 'Content-Length': '5' })], [head(204)], [head(304, { 'Content-Length': '5' })])
    expect(await context({ method: 'HEAD', body: null })).toEqual([200, ''])
    expect(await context()).toEqual([204, ''])
    expect(await context()).toEqual([304, ''])
    expect(upstream.connections).toBe(1)
  })

  test('of status 400 or 503 is an answer', async () => {
    subject.upstream.scriptNext(json({}, 400), json({}, 503))
    expect([(await subject.context())[0], (await subject.context())[0]]).toEqual([400, 503])
  })

  test('is handed over piece by piece as it comes', async () => {
    subject.upstream.script(stream(['one', 'two'], 'every'))
    const { body } = await subject.request()
    for (const payload of ['one', 'two']) {
      const next = body.read()
      expect(next).toBeInstanceOf(Promise)
      subject.upstream.release()
      expect(Buffer.from((await next) ?? []).toString()).toBe(eventText(payload))
    }
    expect(await body.read()).toBeNull()
    expect(body.read()).toBeNull()
  })

  test('that has come already is read without a promise', async () => {
    subject.upstream.script(answer(200, {}, 'hello'))
    const { body } = await subject.request()
    expect(body.read()).toEqual(Buffer.from('hello'))
    expect(body.read()).toBeNull()
  })

  test('keeps its bytes while later ones come', async () => {
    const letters = 'abcdefgh'.split('').map((letter) => letter.repeat(5000))
    subject.upstream.script([head(200, { 'Content-Length': '40000' }), ...letters.map(send)])
    const { body } = await subject.request()
    const parts: Uint8Array[] = []
    for (let part = await body.read(); part !== null; part = await body.read()) parts.push(part)
    expect(Buffer.concat(parts).toString()).toBe(letters.join(''))
  })
})

describe('a failure', () => {
  test('to connect is "refused"', async () => {
    const { client } = subject
    for (const url of [refusingUrl, 'http://no-such-host.invalid/']) {
      const { kind, answered, reused } = await failureOf(client.request(client.origin(url), aRequest()))
      expect({ kind, answered, reused }).toEqual({ kind: 'refused', answered: false, reused: false })
    }
  })

  const beforeHead: Readonly<Record<string, { readonly script: Behaviour; readonly answered: boolean }>> = {
    'a reset before any byte': { script: [reset], answered: false },
    'a close before any byte': { script: [close], answered: false },
    'a reset inside the head': { script: [send('HTTP/1.1 200 OK\r\nA: b'), reset], answered: true },
    'a close inside the head': { script: [send('HTTP/1.1 200 OK\r\nA: b\r\n'), close], answered: true },
    'a close after an interim answer': { script: [send('HTTP/1.1 100 Continue\r\n\r\n'), close], answered: true },
  }
  for (const [name, { script, answered }] of Object.entries(beforeHead)) {
    test(`is "reset" for ${name}`, async () => {
      subject.upstream.script(script)
      const failure = await failureOf(subject.request())
      expect([failure.kind, failure.answered, failure.reused]).toEqual(['reset', answered, false])
      await until(() => subject.upstream.openConnections === 0)
    })
  }

  const early: Readonly<Record<string, Behaviour>> = {
    'a close before the content-length is reached': cutBody({ long: 'enough to be cut' }),
    'a reset before the content-length is reached': cutBody({ long: 'enough to be cut' }, reset),
    'a close between two chunks': brokenStream(['one', 'two'], close),
    'a reset between two chunks': brokenStream(['one', 'two'], reset),
    'a close inside a chunk': cutInsideEvent(['one', 'two']),
    'a close before the last empty line': [
      head(200, { 'Transfer-Encoding': 'chunked' }),
      send('1\r\na\r\n0\r\n'),
      close,
    ],
    'a reset without a framing': [head(200), send('some'), reset],
  }
  for (const [name, script] of Object.entries(early)) {
    test(`is "reset" from the body for ${name}, and what came before it can be read`, async () => {
      subject.upstream.script([...script].toSpliced(-1, 0, gate))
      const { body } = await subject.request()
      expect((await body.read())?.byteLength).toBeGreaterThan(0)
      subject.upstream.release()
      const failure = await failureOf(textOf(body))
      expect([failure.kind, failure.answered]).toEqual(['reset', true])
      expect((await failureOf(body.read())).kind).toBe('reset')
      await until(() => subject.upstream.openConnections === 0)
    })
  }

  const malformed: Readonly<Record<string, string>> = {
    'another protocol': 'SSH-2.0-OpenSSH_9.9\r\n',
    'a body framed twice': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a folded field': 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n',
    'a switch of protocols': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'a head without an end': `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`,
  }
  for (const [name, text] of Object.entries(malformed)) {
    test(`is "protocol" for ${name}, and the connection is closed`, async () => {
      subject.upstream.script([send(text)])
      const failure = await failureOf(subject.request())
      expect([failure.kind, failure.answered]).toEqual(['protocol', true])
      await until(() => subject.upstream.openConnections === 0)
    })
  }

  test('is "protocol" from the body for a malformed chunk, and the connection is closed', async () => {
    subject.upstream.script([head(200, { 'Transfer-Encoding': 'chunked' }), send('2\r\nok\r\n'), gate, send('what?')])
    const { body } = await subject.request()
    expect(await body.read()).toEqual(Buffer.from('ok'))
    subject.upstream.release()
    expect((await failureOf(body.read())).kind).toBe('protocol')
    await until(() => subject.upstream.openConnections === 0)
  })

  test('meets every call when the client is closed, and later ones', async () => {
    const { upstream, client, request } = subject
    upstream.scriptNext([gate], stream(['one', 'two'], 'every'))
    const waiting = failureOf(request())
    await upstream.nextRequest()
    const { body } = await request()
    client.close()
    expect((await waiting).kind).toBe('reset')
    expect((await failureOf(body.read())).kind).toBe('reset')
    expect(await request().catch((thrown: unknown) => thrown)).toBeInstanceOf(TypeError)
    await until(() => upstream.openConnections === 0)
  })
})
