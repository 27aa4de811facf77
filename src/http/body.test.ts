import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { startTestServer, undocumented, type TestServer } from '#test/support/app/test-server.ts'
import { readBody } from './body.ts'

const bytesMax = 1000
let server: TestServer
/** What the reading of each body by its request id ended with. */
const outcomes = new Map<string, PromiseWithResolvers<unknown>>()

function outcome(id: string): PromiseWithResolvers<unknown> {
  const known = outcomes.get(id) ?? Promise.withResolvers<unknown>()
  outcomes.set(id, known)
  return known
}

beforeAll(() => {
  const read = (path: string, readSeconds: number) => ({
    method: 'POST' as const,
    path,
    access: 'public' as const,
    docs: undocumented,
    handle: async (context: Parameters<typeof readBody>[0]) => {
      outcome(`${context.requestId} begins`).resolve(null)
      try {
        const body = await readBody(context, { bytesMax, readSeconds })
        outcome(context.requestId).resolve(body)
        return new Response(body)
      } catch (thrown) {
        outcome(context.requestId).resolve(thrown)
        throw thrown
      }
    },
  })
  server = startTestServer([read('/patient', 3600), read('/hasty', 0.05)])
})
afterAll(() => server[Symbol.asyncDispose]())

function send(body: Bun.BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}/patient`, { method: 'POST', body, headers })
}

/** A body whose length is not announced. */
function chunked(...parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

function head(path: string, id: string, framing: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: h\r\nX-Request-Id: ${id}\r\n${framing}\r\n\r\n`
}

describe('a body within the limit', () => {
  test('comes byte for byte, announced or not, up to the last byte of the limit', async () => {
    const bytes = Buffer.from(Array.from({ length: bytesMax }, (_, index) => index % 256))
    expect(Buffer.from(await (await send(bytes)).arrayBuffer())).toEqual(bytes)
    const parts = chunked(Uint8Array.from(bytes.subarray(0, 7)), Uint8Array.from(bytes.subarray(7)))
    expect(Buffer.from(await (await send(parts)).arrayBuffer())).toEqual(bytes)
  })

  test('may be none at all', async () => {
    using client = server.client()
    client.write('POST /patient HTTP/1.1\r\nHost: h\r\nX-Request-Id: none\r\n\r\n')
    expect(await outcome('none').promise).toHaveLength(0)
  })

  test('may say that it has no encoding, in any case', async () => {
    for (const encoding of ['identity', 'Identity']) {
      expect((await send('x', { 'content-encoding': encoding })).status).toBe(200)
    }
  })
})

test('a body with a content encoding is refused, and its bytes are not read as if they had none', async () => {
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip']) {
    const refused = await send(Bun.gzipSync('x'), { 'content-encoding': encoding })
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      415,
      'unsupported_media_type',
    ])
  }
})

describe('a body past the limit', () => {
  const framings = {
    announced: { framing: 'Content-Length: 1001', body: 'x'.repeat(1001) },
    'in chunks': { framing: 'Transfer-Encoding: chunked', body: `3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n` },
  }
  for (const [what, { framing, body }] of Object.entries(framings)) {
    test(`${what} is refused, and the connection goes on with the next request`, async () => {
      using client = server.client()
      const next = head('/patient', 'next', 'Content-Length: 2')
      client.write(`${head('/patient', 'large', framing)}${body}${next}ok`)
      await client.untilText('\r\n\r\nok')
      expect(client.text).toStartWith('HTTP/1.1 413')
      expect(client.text).toContain('"message":"The request body is larger than the limit of 1000 bytes."')
      expect(client.text).toContain('HTTP/1.1 200')
    })
  }

  test('is refused in words that also a client hears that sends all before it reads', async () => {
    const sizes = { announced: 'Content-Length: 20000000', 'in chunks': 'Transfer-Encoding: chunked' }
    const million = Buffer.alloc(1_000_000, 0x61)
    for (const [what, framing] of Object.entries(sizes)) {
      using client = server.client()
      client.pause()
      client.write(head('/patient', 'huge', framing))
      const piece =
        what === 'announced' ? million : Buffer.concat([Buffer.from('f4240\r\n'), million, Buffer.from('\r\n')])
      for (let sent = 0; sent < 20; sent += 1) await client.writeAll(piece)
      expect(client.isClosed).toBe(false)
      client.resume()
      await client.untilText('"code":"request_too_large"')
    }
  })
})

describe('a body that is late', () => {
  const starts = {
    'stops in the middle': ['Content-Length: 100', 'abc'],
    'stops in the middle of its chunks': ['Transfer-Encoding: chunked', '3\r\nabc\r\n'],
    'never comes': ['Content-Length: 100', ''],
    'never comes in chunks': ['Transfer-Encoding: chunked', ''],
  } as const
  for (const [what, [framing, start]] of Object.entries(starts)) {
    test(`and ${what} is refused, and its connection closed`, async () => {
      using client = server.client()
      client.write(head('/hasty', 'late', framing) + start)
      await client.untilText('"code":"body_timeout"')
      expect(client.text).toStartWith('HTTP/1.1 408')
      await client.closed
    })
  }

  test('and complete in the end is read when the time allows', async () => {
    using client = server.client()
    client.write(`${head('/patient', 'slow', 'Content-Length: 6')}abc`)
    client.write('def')
    expect(await outcome('slow').promise).toEqual(Buffer.from('abcdef'))
  })
})

for (const framing of ['Content-Length: 100\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n']) {
  test(`a client that leaves in the middle is not a fault of the server: ${framing.slice(0, 14)}`, async () => {
    const logged = server.log.length
    const id = `left-${framing.length}`
    using client = server.client()
    client.write(head('/patient', id, framing).slice(0, -4))
    await outcome(`${id} begins`).promise
    client.reset()
    const thrown = await outcome(id).promise
    expect(thrown).toBeInstanceOf(ApiError)
    expect((thrown as ApiError).code).toBe('client_closed')
    expect(server.log.slice(logged)).toEqual([])
  })
}
