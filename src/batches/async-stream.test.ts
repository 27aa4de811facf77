import { describe, expect, test } from 'bun:test'
import type { StoredPiece } from '#store/batches/async-pieces.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import { followAsync } from './async-stream.ts'

const piece = (attempt: string, position: number): StoredPiece => ({
  attempt,
  position,
  text: `${attempt}${position} `,
})
const batch = { id: 'async_1', endpoint: '/v1/chat/completions', endedAt: null } as Batch

/** What a reader of these pieces gets until nothing comes, and how often it has asked. */
async function untilSilence(begun: readonly StoredPiece[], later: readonly StoredPiece[]) {
  let asked = 0
  const store = {
    pieces: async () => {
      asked += 1
      return later
    },
    find: async () => batch,
  }
  const reading = new AbortController()
  const endOf = async () => null
  const stream = followAsync({ store } as never, batch, { begun, endOf, signal: reading.signal })
  let text = ''
  for await (const bytes of stream) {
    if (bytes === null) break
    text += Buffer.from(bytes).toString()
  }
  reading.abort()
  return { text, asked }
}

describe('a reader of a stream that is still made', () => {
  test.each<[string, readonly StoredPiece[]]>([
    ['nothing', []],
    ['another try', [piece('b', 1), piece('b', 2)]],
    ['a piece behind one that is missing', [piece('a', 2)]],
  ])('waits when the store has %s, and asks once for each wait', async (_what, later) => {
    expect(await untilSilence([piece('a', 0)], later)).toEqual({ text: 'a0 ', asked: 1 })
  })
})
