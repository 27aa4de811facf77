import { expect, test } from 'bun:test'
import { bodyOfPieces } from './pieces.ts'

test('a body of pieces is as long as all of them, and gives out the very buffers', async () => {
  const pieces = [Buffer.from('one'), Buffer.alloc(0), Buffer.from('three')]
  const body = bodyOfPieces(pieces)
  expect(body.length).toBe(8)
  for (const piece of pieces) expect(await body.read()).toBe(piece)
  expect(await body.read()).toBeNull()
})
