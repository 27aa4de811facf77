import { describe, expect, test } from 'bun:test'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import {
  answer,
  endlessStream,
  gate,
  head,
  json,
  stream,
  type Step,
} from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'
import { aRequest, failureOf, nextTurn, startClient, textOf } from './client-under-test.ts'

const megabyte = 1024 * 1024

describe('a reader that stops', () => {
  test('stops the server, and goes on where it stopped', async () => {
    await using subject = await startClient()
    subject.upstream.script(endlessStream('x'.repeat(16 * 1024)))
    const { body } = await subject.request()
    const request = await subject.upstream.nextRequest()
    await until(() => request.bytesSent > megabyte)
    const stopped = await standstill(() => request.bytesSent)
    // What two sockets and one read hold; without a bound this would never stand still.
    expect(stopped).toBeLessThan(32 * megabyte)
    let read = 0
    while (read < stopped + 32 * megabyte) read += (await body.read())?.byteLength ?? 0
    expect(request.bytesSent).toBeGreaterThan(stopped)
    body.cancel()
  })

  test('finds every byte in its place', async () => {
    await using subject = await startClient()
    const bytes = Buffer.alloc(8 * megabyte)
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at)
    subject.upstream.script(answer(200, {}, bytes))
    const { body } = await subject.request()
    const parts: Uint8Array[] = []
    for (let part = await body.read(); part !== null; part = await body.read()) {
      parts.push(part)
      await nextTurn()
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    expect(await subject.context()).toEqual([200, expect.any(String)])
    expect(subject.upstream.connections).toBe(1)
  })

  test('learns of a server that breaks the connection meanwhile', async () => {
    await using subject = await startClient()
    const flood = [head(200), ...Array<Step>(64).fill({ step: 'send', bytes: Buffer.alloc(4096) }), gate]
    subject.upstream.script([...flood, { step: 'reset' }])
    const { body } = await subject.request()
    const request = await subject.upstream.nextRequest()
    await until(() => request.bytesSent >= 64 * 4096)
    request.release()
    await until(() => subject.upstream.openConnections === 0)
    expect((await failureOf(textOf(body))).kind).toBe('reset')
  })
})

describe('a request', () => {
  test('of any size around the one that is sent at once arrives whole', async () => {
    await using subject = await startClient()
    subject.upstream.script(json({}))
    for (const size of [0, 1, 65_000, 65_535, 65_536, 65_537, 200_000]) {
      await subject.context({ body: Buffer.alloc(size, size % 251) })
      const { body } = await subject.upstream.nextRequest()
      expect(Buffer.from(body).equals(Buffer.alloc(size, size % 251))).toBe(true)
    }
  })
})

describe('a large request', () => {
  test('of 20 MB reaches a server that reads slowly, whole', async () => {
    await using subject = await startClient()
    const body = Buffer.alloc(20 * megabyte)
    for (let at = 0; at < body.length; at += 4) body.writeUInt32LE(at, at)
    await using server = await slowServer()
    const reply = subject.client.request(subject.client.origin(server.url), aRequest({ body }))
    expect((await reply).status).toBe(200)
    const received = Buffer.concat(server.received)
    expect(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(body)).toBe(true)
  })

  test('that is refused before it was sent whole gets the answer, and the connection is not used again', async () => {
    await using subject = await startClient()
    await using server = await hastyServer('HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nmuch')
    const origin = subject.client.origin(server.url)
    const { status, body } = await subject.client.request(origin, aRequest({ body: Buffer.alloc(20 * megabyte) }))
    expect([status, await textOf(body)]).toEqual([413, 'much'])
    await until(() => server.open.size === 0)
  })
})

test('a thousand calls at once each get their own answer, and their connections can all be closed', async () => {
  await using subject = await startClient()
  const { upstream, client, context } = subject
  upstream.script((request) => (request.indexOnConnection % 2 === 0 ? json(request.json()) : stream([request.json()])))
  const call = async (id: number): Promise<boolean> =>
    (await context({ body: Buffer.from(JSON.stringify({ id })) }))[1].includes(`{"id":${id}}`)
  for (let round = 0; round < 2; round++) {
    const found = await Promise.all(Array.from({ length: 1000 }, (_, index) => call(round * 1000 + index)))
    expect(found.filter(Boolean)).toHaveLength(1000)
  }
  expect(upstream.requests).toHaveLength(2000)
  client.close()
  await until(() => upstream.openConnections === 0)
})

/** The value once it has not changed for many turns of the event loop. */
async function standstill(value: () => number): Promise<number> {
  let last = value()
  for (let turns = 0; turns < 200; turns++) {
    await nextTurn()
    if (value() !== last) turns = 0
    last = value()
  }
  return last
}

interface RawServer extends AsyncDisposable {
  readonly url: string
  readonly received: Buffer[]
  readonly open: Set<Socket>
}

/** Takes one piece for each turn of the event loop; answers when 20 MB and a head have come. */
function slowServer(): Promise<RawServer> {
  return rawServer((socket, received) => {
    let total = 0
    socket.on('data', (bytes: Buffer) => {
      received.push(Buffer.from(bytes))
      total += bytes.length
      if (total > 20 * megabyte) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      socket.pause()
      setImmediate(() => socket.resume())
    })
  })
}

/** Answers at the first byte and reads no more. */
function hastyServer(text: string): Promise<RawServer> {
  return rawServer((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write(text)
    })
  })
}

async function rawServer(serve: (socket: Socket, received: Buffer[]) => void): Promise<RawServer> {
  const received: Buffer[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    serve(socket, received)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
