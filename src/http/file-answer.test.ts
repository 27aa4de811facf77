/** That what a body is read from is given back, whenever its reader leaves. */
import { expect, test } from 'bun:test'
import { rejection } from '#test/support/store/store-test.ts'
import { streamOf } from './file-answer.ts'

async function* pieces(count: number, isBroken = false): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < count; at += 1) yield new Uint8Array([at])
  if (isBroken) throw new Error('the disk is gone')
}

/** A body of some pieces, and how often its source was given back. */
function aBody(count: number, isBroken = false) {
  const source = { given: 0, [Symbol.asyncDispose]: async () => void (source.given += 1) }
  return { source, reader: streamOf(pieces(count, isBroken), source).getReader() }
}

test.each([0, 1, 3])('a body of %i pieces that is read gives its source back once', async (count) => {
  const { source, reader } = aBody(count)
  let read = 0
  while (!(await reader.read()).done) read += 1
  expect([read, source.given]).toEqual([count, 1])
})

test.each([0, 1, 2])('so does one whose reader leaves after %i pieces', async (count) => {
  const { source, reader } = aBody(3)
  for (let at = 0; at < count; at += 1) await reader.read()
  await reader.cancel()
  expect(source.given).toBe(1)
})

test('so does one whose source fails', async () => {
  const { source, reader } = aBody(1, true)
  await reader.read()
  expect(await rejection(reader.read())).toBeInstanceOf(Error)
  expect(source.given).toBe(1)
})
