import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import { contextOf, contextWithBody } from '#test/support/app/request-context.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { BodyReader } from './body-reader.ts'

const limits = { bytesMax: 100, readSeconds: 10 }

/** A body of these pieces, and how many of them were asked for. */
function piecesOf(sizes: readonly number[]) {
  const asked = { pieces: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = sizes[asked.pieces]
        asked.pieces += 1
        if (size === undefined) controller.close()
        else controller.enqueue(new Uint8Array(size))
      },
      cancel: () => void (asked.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { asked, stream }
}

async function code(act: () => unknown): Promise<string> {
  const thrown = await rejection((async () => act())())
  if (!(thrown instanceof ApiError)) throw thrown
  return thrown.code
}

describe('a body', () => {
  test('comes piece by piece, each when it is asked for', async () => {
    const { asked, stream } = piecesOf([3, 4])
    const reader = new BodyReader(await contextWithBody(stream), limits)
    expect([reader.length, asked.pieces]).toEqual([null, 0])
    expect((await reader.read())?.length).toBe(3)
    expect(asked.pieces).toBe(1)
    expect((await reader.read())?.length).toBe(4)
    expect([await reader.read(), reader.bytesRead]).toEqual([null, 7])
  })

  test('that is not there ends at once', async () => {
    const reader = new BodyReader(await contextOf(new Request('http://localhost/x', { method: 'POST' })), limits)
    expect(await reader.read()).toBeNull()
    reader.cancel()
  })

  test('that nobody wants is cancelled', async () => {
    const { asked, stream } = piecesOf([3, 4])
    const reader = new BodyReader(await contextWithBody(stream), limits)
    await reader.read()
    reader.cancel()
    reader.cancel()
    expect(asked.cancelled).toBe(true)
  })

  test('is 413 as soon as it is too large, by its announcement or by its bytes', async () => {
    const announced = await contextWithBody('x', { 'content-length': '101' })
    expect(await code(() => new BodyReader(announced, limits))).toBe('request_too_large')
    const { asked, stream } = piecesOf([60, 40, 1, 1])
    const reader = new BodyReader(await contextWithBody(stream), limits)
    await reader.read()
    await reader.read()
    expect(await code(() => reader.read())).toBe('request_too_large')
    expect(asked.pieces).toBe(3)
  })

  test('is 408 when the client keeps us waiting, and 415 when it is packed', async () => {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => {}) })
    const reader = new BodyReader(await contextWithBody(silent), { ...limits, readSeconds: 0.01 })
    expect(await code(() => reader.read())).toBe('body_timeout')
    const packed = await contextWithBody('x', { 'content-encoding': 'gzip' })
    expect(await code(() => new BodyReader(packed, limits))).toBe('unsupported_media_type')
  })

  test('is 499 when the client leaves in the middle of it', async () => {
    const client = new AbortController()
    const { promise, reject } = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({ pull: () => promise })
    const request = new Request('http://localhost/x', { method: 'POST', body, signal: client.signal })
    const reader = new BodyReader(await contextOf(request), limits)
    const reading = code(() => reader.read())
    client.abort()
    reject(new Error('the connection is gone'))
    expect(await reading).toBe('client_closed')
  })
})
