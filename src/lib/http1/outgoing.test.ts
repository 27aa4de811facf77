import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Outgoing } from './outgoing.ts'

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
      }
      const socket = sink(room)
      const outgoing = new Outgoing()
      outgoing.begin(socket, request)
      for (let turns = 0; !outgoing.done && turns < 20; turns++) {
        new Outgoing().begin(sink([]), { head: 'GET /another HTTP/1.1\r\n\r\n', body: null })
        outgoing.flush(socket)
      }
      expect(outgoing.done).toBe(true)
      expect(
        socket.taken().equals(Buffer.concat([Buffer.from(request.head, 'latin1'), request.body ?? Buffer.alloc(0)])),
      ).toBe(true)
    }),
  )
})
