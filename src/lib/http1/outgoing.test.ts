import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Outgoing } from './outgoing.ts'
import type { BodyStream } from './request.ts'

const unexpected = (reason: unknown): never => {
  throw new Error('the body failed', { cause: reason })
}

/** Takes at each call as much as the next number says, of what it is offered; all once they are used up. */
function sink(room: readonly number[]): {
  write(bytes: Uint8Array, offset: number, length: number): number
  taken(): Buffer
} {
  const left = [...room]
  const parts: Buffer[] = []
  return {
    write(bytes, offset, length) {
      const count = Math.min(left.shift() ?? length, length)
      // A copy, as a socket makes one.
      if (count > 0) parts.push(Buffer.from(bytes.slice(offset, offset + count)))
      return count
    },
    taken: () => Buffer.concat(parts),
  }
}

test('a request goes out whole and once, however the socket takes it, while others go out in between', () => {
  const sizes = fc.oneof(fc.constant(null), fc.nat(200), fc.integer({ min: 65_000, max: 66_000 }), fc.constant(300_000))
  const rooms = fc.array(fc.oneof(fc.constant(-1), fc.nat(100), fc.nat(100_000)), { maxLength: 10 })
  fc.assert(
    fc.property(sizes, rooms, (size, room) => {
      const request = {
        head: 'POST / HTTP/1.1\r\nx-a: \xff\r\n\r\n',
        body: size === null ? null : Buffer.alloc(size, size % 251),
        stream: null,
      }
      const socket = sink(room)
      const outgoing = new Outgoing(unexpected)
      outgoing.begin(socket, request)
      for (let turns = 0; !outgoing.done && turns < 20; turns++) {
        new Outgoing(unexpected).begin(sink([]), { head: 'GET /another HTTP/1.1\r\n\r\n', body: null, stream: null })
        outgoing.flush(socket)
      }
      expect(outgoing.done).toBe(true)
      expect(
        socket.taken().equals(Buffer.concat([Buffer.from(request.head, 'latin1'), request.body ?? Buffer.alloc(0)])),
      ).toBe(true)
    }),
  )
})

describe('a body that is read while it is sent', () => {
  const head = 'POST / HTTP/1.1\r\n\r\n'

  /** Sends the pieces through a socket with so much room at each write; what went out after the head. */
  async function sent(pieces: readonly Uint8Array[], length: number | null, room: readonly number[]): Promise<Buffer> {
    const socket = sink(room)
    const left = [...pieces]
    const stream: BodyStream = { length, read: async () => left.shift() ?? null }
    const outgoing = new Outgoing(unexpected)
    outgoing.begin(socket, { head, body: null, stream })
    while (!outgoing.done) {
      await nextTurn()
      outgoing.flush(socket)
    }
    return socket.taken().subarray(head.length)
  }

  const pieceSizes = fc.array(fc.nat(70_000), { maxLength: 6 })
  const rooms = fc.array(fc.oneof(fc.constant(-1), fc.nat(100), fc.nat(100_000)), { maxLength: 20 })

  test('arrives as it is when its length is known, however the socket takes it', async () => {
    await fc.assert(
      fc.asyncProperty(pieceSizes, rooms, async (sizes, room) => {
        const pieces = sizes.map((size, index) => Buffer.alloc(size, index + 1))
        const whole = Buffer.concat(pieces)
        expect((await sent(pieces, whole.length, room)).equals(whole)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('arrives in chunks when it is not, and no empty piece ends it', async () => {
    const pieces = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(17, 'x')]
    expect((await sent(pieces, null, [5, 0, 1])).toString()).toBe(`3\r\none\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`)
  })

  test('is asked for its next piece only when the socket has taken the last', async () => {
    const socket = sink([head.length, 1, 0, 0])
    let reads = 0
    const stream: BodyStream = { length: 8, read: async () => ((reads += 1) > 2 ? null : Buffer.alloc(4)) }
    const outgoing = new Outgoing(unexpected)
    outgoing.begin(socket, { head, body: null, stream })
    await nextTurn()
    for (let turn = 0; turn < 2; turn += 1) {
      outgoing.flush(socket)
      await nextTurn()
      expect(reads).toBe(1)
    }
    outgoing.flush(socket)
    expect(reads).toBe(2)
  })

  test('that is shorter or longer than it was said to be fails, and so does one that cannot be read', async () => {
    const failureOf = async (stream: BodyStream): Promise<unknown> => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const outgoing = new Outgoing(resolve)
      outgoing.begin(sink([]), { head, body: null, stream })
      const reason = await promise
      expect(outgoing.done).toBe(false)
      return reason
    }
    const of = (sizes: readonly number[], length: number): BodyStream => {
      const left = sizes.map((size) => Buffer.alloc(size))
      return { length, read: async () => left.shift() ?? null }
    }
    expect(await failureOf(of([3], 4))).toBeInstanceOf(TypeError)
    expect(await failureOf(of([3, 3], 4))).toBeInstanceOf(TypeError)
    const gone = new Error('gone')
    expect(await failureOf({ length: null, read: () => Promise.reject(gone) })).toBe(gone)
  })

  test('that is given up is not read any more, and the connection is not done with', async () => {
    let reads = 0
    const pending = Promise.withResolvers<Uint8Array>()
    const stream: BodyStream = { length: null, read: () => ((reads += 1), pending.promise) }
    const socket = sink([])
    const outgoing = new Outgoing(unexpected)
    outgoing.begin(socket, { head, body: null, stream })
    outgoing.stop()
    pending.resolve(Buffer.from('late'))
    await nextTurn()
    expect([reads, socket.taken().toString(), outgoing.done]).toEqual([1, head, false])
  })
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
