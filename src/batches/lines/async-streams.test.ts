import { expect, test } from 'bun:test'
import type { NewPiece } from '#store/batches/async-pieces.ts'
import { createLogger } from '#observe/log.ts'
import { systemClock } from '#lib/clock.ts'
import { AsyncStreams } from './async-streams.ts'

test('what comes while pieces are written is written, whether or not anything comes after it', async () => {
  const logger = createLogger({ level: 'error', format: 'json', clock: systemClock, write: () => undefined })
  const written: string[] = []
  const [begun, released, all] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  const store = {
    async addPieces(pieces: readonly NewPiece[]) {
      begun.resolve()
      await released.promise
      written.push(...pieces.map(({ position, text }) => `${position}: ${text}`))
      if (written.length === 2) all.resolve()
    },
  }
  await using streams = new AsyncStreams(store, logger)
  using stream = streams.begin({ batchId: 'async_1', part: 0, fence: 1 } as never)
  stream.push('first')
  await begun.promise
  stream.push('last')
  released.resolve()
  await all.promise
  expect(written).toEqual(['0: first', '1: last'])
})
