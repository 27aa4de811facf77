import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import {
  answer,
  brokenStream,
  closeReused,
  cutBody,
  cutInsideEvent,
  endlessStream,
  eventText,
  gate,
  gzipJson,
  hang,
  head,
  htmlBadGateway,
  json,
  privateHeaders,
  rateLimited,
  redirect,
  reset,
  send,
  sendSplit,
  stream,
  streamHead,
} from './upstream-behaviours.ts'
import { RequestParser } from './upstream-parser.ts'
import { chatChunks, chatCompletion, doneEvent, errorObject } from './upstream-samples.ts'
import { refusingUrl, startUpstream, type Upstream } from './upstream.ts'

let upstream: Upstream

beforeEach(async () => {
  upstream = await startUpstream()
})

afterEach(() => upstream.close())

function chat(body: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
    ...init,
  })
}

/** What the promise rejects with; fails when it does not. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => null,
    (thrown: unknown) => ({ thrown }),
  )
  if (outcome === null) throw new Error('it did not fail')
  return outcome.thrown
}

/** A connection of its own; `text` collects what came, `closed` resolves when it ended. */
function dial(): { readonly socket: Socket; readonly text: () => string; readonly closed: Promise<void> } {
  const socket = createConnection(Number(new URL(upstream.url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
  const closed = new Promise<void>((resolve) => socket.on('error', () => resolve()).on('close', () => resolve()))
  return { socket, text: () => text, closed }
}

describe('unscripted', () => {
  test('a whole chat completion carries the model that was asked for', async () => {
    const response = await chat({ model: 'gpt-x' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(chatCompletion({ model: 'gpt-x' }))
  })

  test('a stream ends with [DONE] and has a usage event only when asked for', async () => {
    const plain = await (await chat({ stream: true })).text()
    expect(plain).toEndWith(eventText(doneEvent))
    expect(plain).not.toContain('prompt_tokens')
    const counted = await (await chat({ stream: true, stream_options: { include_usage: true } })).text()
    expect(counted).toContain('"prompt_tokens":11')
  })

  test('embeddings have one vector per input, models are listed, and any other path is 404', async () => {
    const body = JSON.stringify({ model: 'e', input: ['a', 'b'] })
    const embeddings = (await (await fetch(`${upstream.url}/embeddings`, { method: 'POST', body })).json()) as {
      data: unknown[]
    }
    expect(embeddings.data).toHaveLength(2)
    const models = (await (await fetch(`${upstream.url}/models`)).json()) as { data: unknown[] }
    expect(models.data).toHaveLength(2)
    expect((await fetch(`${upstream.url}/nothing`)).status).toBe(404)
  })
})

describe('what is kept of a request', () => {
  test('method, target, header names in their case, and the exact body', async () => {
    const { socket } = dial()
    socket.write(
      'POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: x\r\nX-MiXeD: One\r\nContent-Length: 13\r\n\r\n{"model":"m"}',
    )
    const request = await upstream.nextRequest()
    expect(request.method).toBe('POST')
    expect(request.target).toBe('/v1/chat/completions?a=b')
    expect(request.headers[1]).toEqual(['X-MiXeD', 'One'])
    expect(request.header('x-mixed')).toBe('One')
    expect(Buffer.from(request.body).toString()).toBe('{"model":"m"}')
    socket.destroy()
  })

  test('nextRequest hands out each request once, in order, whether it came before or after the call', async () => {
    const third = (await chat({ model: '1' }), await chat({ model: '2' }), upstream.nextRequest())
    expect((await third).json()['model']).toBe('1')
    expect((await upstream.nextRequest()).json()['model']).toBe('2')
    const waiting = upstream.nextRequest()
    await chat({ model: '3' })
    expect((await waiting).json()['model']).toBe('3')
    expect(upstream.requests).toHaveLength(3)
  })

  test('what is not HTTP is noted and its connection reset', async () => {
    const { socket, closed } = dial()
    socket.write('NONSENSE\r\n\r\n')
    await closed
    expect(upstream.malformed).toHaveLength(1)
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('gates', () => {
  test('an event stays back until it is released', async () => {
    upstream.script(stream(['one', 'two', doneEvent], 'every'))
    const reader = (await chat({ stream: true })).body!.pipeThrough(new TextDecoderStream()).getReader()
    for (const payload of ['one', 'two', doneEvent]) {
      upstream.release()
      expect((await reader.read()).value).toBe(eventText(payload))
    }
    expect((await reader.read()).done).toBe(true)
  })

  test('a request can be released alone while another one waits', async () => {
    upstream.script([gate, ...json({ ok: true })])
    const first = chat({ model: 'first' })
    const firstRequest = await upstream.nextRequest()
    const second = chat({ model: 'second' })
    const secondRequest = await upstream.nextRequest()
    secondRequest.release()
    expect((await second).status).toBe(200)
    expect(firstRequest.bytesSent).toBe(0)
    upstream.release()
    expect((await first).status).toBe(200)
  })
})

describe('the client going away', () => {
  test('is seen in the middle of a stream, and marks the request as aborted', async () => {
    upstream.script(brokenStream(chatChunks(), hang))
    const leaving = new AbortController()
    const response = await chat({ stream: true }, { signal: leaving.signal })
    const request = await upstream.nextRequest()
    await response.body!.getReader().read()
    expect(request.aborted).toBe(false)
    leaving.abort()
    await request.closed
    expect(request.aborted).toBe(true)
  })

  test('is no abort when the answer was complete', async () => {
    const { socket, closed } = dial()
    socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n')
    const request = await upstream.nextRequest()
    await request.answered
    socket.end()
    await Promise.all([request.closed, closed])
    expect(request.aborted).toBe(false)
  })

  test('stops an endless stream that it does not read', async () => {
    upstream.script(endlessStream('x'.repeat(65_536)))
    const { socket } = dial()
    socket.pause()
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}')
    const request = await upstream.nextRequest()
    socket.destroy()
    await request.closed
    expect(request.aborted).toBe(true)
  })
})

describe('faults before the headers', () => {
  test('refused: nothing listens at the refusing address', async () => {
    expect(await failureOf(fetch(`${refusingUrl}/models`))).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('reset: no byte of an answer comes', async () => {
    upstream.script([reset])
    const { socket, text, closed } = dial()
    socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(text()).toBe('')
  })

  test('a hang lasts until the client leaves', async () => {
    upstream.script([hang])
    const leaving = new AbortController()
    const answered = chat({}, { signal: leaving.signal })
    const request = await upstream.nextRequest()
    leaving.abort()
    expect(await failureOf(answered)).toMatchObject({ name: 'AbortError' })
    await request.closed
    expect(request.bytesSent).toBe(0)
  })

  test('a reused connection is closed at its second request, before any byte', async () => {
    upstream.script(closeReused)
    const { socket, text, closed } = dial()
    const get = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'
    socket.write(get)
    await (
      await upstream.nextRequest()
    ).answered
    socket.write(get)
    const second = await upstream.nextRequest()
    await closed
    expect(second.indexOnConnection).toBe(1)
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})

describe('faults after the headers', () => {
  test('headers can come alone', async () => {
    upstream.script([streamHead, hang])
    const leaving = new AbortController()
    const response = await chat({ stream: true }, { signal: leaving.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    leaving.abort()
  })

  test('a JSON body cut in the middle fails the reader', async () => {
    upstream.script(cutBody(chatCompletion()))
    const response = await chat()
    expect(response.status).toBe(200)
    expect(await failureOf(response.text())).toBeInstanceOf(Error)
  })

  test('a stream cut inside an event leaves half of it, and no last chunk', async () => {
    upstream.script(cutInsideEvent(['first', 'second']))
    const { socket, text, closed } = dial()
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}')
    await closed
    expect(text()).toContain('data: first\n\n')
    expect(text()).not.toContain('second')
    expect(text()).not.toContain('0\r\n\r\n')
  })

  test('a stream can lack [DONE], or finish_reason too, or hold an error, and still end cleanly', async () => {
    upstream.scriptNext(
      stream(chatChunks()),
      stream(chatChunks({ finish: false })),
      stream([errorObject('No capacity.')]),
      stream([...chatChunks({ usage: 'early' }).slice(0, 2), errorObject('Died.')]),
    )
    const texts: string[] = []
    for (let index = 0; index < 4; index++) texts.push(await (await chat({ stream: true })).text())
    const [noDone, noFinish, errorFirst, errorLater] = texts
    expect(noDone).toContain('"finish_reason":"stop"')
    expect(noDone).not.toContain(doneEvent)
    expect(noFinish).not.toContain('"finish_reason":"stop"')
    expect(errorLater).toContain('"completion_tokens":0')
    expect(errorLater).toContain('Died.')
    expect(errorFirst).toBe(eventText(errorObject('No capacity.')))
  })
})

describe('refusals and headers', () => {
  test('429 with Retry-After, an HTML 502 and a redirect come as they are', async () => {
    upstream.scriptNext(rateLimited('7'), htmlBadGateway(), redirect('http://127.0.0.1:1/'))
    const limited = await chat()
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    const bad = await chat()
    expect([bad.status, bad.headers.get('content-type')]).toEqual([502, 'text/html'])
    const moved = await chat({}, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
  })

  test('a gzip body is compressed on the wire', async () => {
    upstream.script(gzipJson({ ok: true }))
    const packed = await chat({}, { decompress: false } as BunFetchRequestInit)
    expect(new Uint8Array(await packed.arrayBuffer()).subarray(0, 2)).toEqual(Uint8Array.of(0x1f, 0x8b))
    expect(await (await chat()).json()).toEqual({ ok: true })
  })

  test('hop-by-hop headers, cookies and the server name go out', async () => {
    upstream.script(json({}, 200, privateHeaders))
    const { headers } = await chat()
    expect(headers.getSetCookie()).toHaveLength(2)
    expect(headers.get('server')).toBe('upstream/1.0')
    expect(headers.get('x-hop')).toBe('this connection only')
  })

  test('a body may be written in any pieces', async () => {
    const bytes = Buffer.from(eventText('wörld 🌊'))
    const top = head(200, { 'Content-Type': 'text/event-stream', 'Content-Length': String(bytes.length) })
    const everyByte = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    expect(sendSplit(bytes, everyByte)).toHaveLength(bytes.length)
    upstream.script([top, ...sendSplit(bytes, everyByte)])
    expect(await (await chat({ stream: true })).text()).toBe(eventText('wörld 🌊'))
  })

  test('steps join to any bytes on the wire', async () => {
    upstream.script([send('HTTP/1.1 200 OK\r\ncontent-'), send('length: 2\r\n\r\n{'), send('}')])
    expect(await (await chat()).json()).toEqual({})
    upstream.script(answer(418, { 'X-Kind': 'teapot' }, 'short'))
    expect((await chat()).headers.get('x-kind')).toBe('teapot')
  })
})

describe('the parser', () => {
  test('any split of two pipelined requests gives the same two requests', () => {
    const bytes = Buffer.from(
      'POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello' +
        'POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n',
    )
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parser = new RequestParser()
      const parsed = [...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))]
      expect(parsed.map(({ target, body }) => [target, Buffer.from(body).toString()])).toEqual([
        ['/a', 'hello'],
        ['/b', 'abcde'],
      ])
    }
  })

  test('a body framed twice is refused', () => {
    const smuggled = 'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    expect(() => new RequestParser().push(Buffer.from(smuggled))).toThrow('framed twice')
  })
})
