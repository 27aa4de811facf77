import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { planSync, type FoundFile, type KnownFile } from './sync-plan.ts'

const knownOf = (files: Readonly<Record<string, string>>): KnownFile[] =>
  Object.entries(files).map(([id, content]) => ({
    documentId: `doc of ${id}`,
    id,
    version: content,
    bytes: content.length,
    sha256: content,
    state: 'completed',
  }))
const foundOf = (files: Readonly<Record<string, string>>): FoundFile[] =>
  Object.entries(files).map(([id, content]) => ({ id, version: content, bytes: content.length }))
const plan = (now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>) =>
  planSync(foundOf(now), knownOf(before), {
    markOf: (bytes) => String(bytes),
    isSame: (file, gone) => file.version === gone.sha256,
  })

test('carrying out a plan makes the server have what the folder has, and a second plan is empty', async () => {
  const files = fc.dictionary(
    fc.oneof(fc.constantFrom('a', 'b', '../c', 'd\ne'), fc.string()),
    fc.constantFrom<string>('x', 'y', 'zz', 'other'),
    { maxKeys: 8 },
  )
  await fc.assert(
    fc.asyncProperty(files, files, async (before, now) => {
      const { send, moved, gone, unchanged } = await plan(now, before)
      const server = new Map(Object.entries(before))
      for (const { file, known } of moved) {
        expect(server.get(known.id)).toBe(file.version)
        server.delete(known.id)
        expect(server.has(file.id)).toBe(false)
        server.set(file.id, file.version)
      }
      for (const { file } of send) server.set(file.id, file.version)
      for (const { id } of gone) expect(server.delete(id)).toBe(true)
      expect(server).toEqual(new Map(Object.entries(now)))
      expect(send.length + moved.length + unchanged.length).toBe(Object.keys(now).length)
      const again = await plan(now, Object.fromEntries(server))
      expect([again.send, again.moved, again.gone]).toEqual([[], [], []])
    }),
  )
})

test('a folder that is renamed with all its files sends none of them', async () => {
  const before = Object.fromEntries(Array.from({ length: 500 }, (_each, at) => [`old/${at}`, `text ${at}`]))
  const now = Object.fromEntries(Object.entries(before).map(([id, text]) => [id.replace('old', 'new'), text]))
  const { send, moved, gone } = await plan(now, before)
  expect([send.length, moved.length, gone.length]).toEqual([0, 500, 0])
})

test('what has not completed is not moved, and what failed is not sent again until it changes', async () => {
  const known = knownOf({ a: 'x', b: 'y' }).map((each) => ({ ...each, state: 'failed' }))
  const moves = { markOf: () => 'all', isSame: () => true }
  const { send, moved, gone, unchanged } = await planSync(foundOf({ b: 'y', c: 'x' }), known, moves)
  expect([send.length, moved.length, gone.length, unchanged.length]).toEqual([1, 0, 1, 1])
})

test.each([1000, 10_000, 100_000])(
  '%i files of one size and content, all renamed, are planned with turns for others between',
  async (count) => {
    const before = Object.fromEntries(Array.from({ length: count }, (_each, at) => [`old/${at}`, 'same']))
    const now = Object.fromEntries(Array.from({ length: count }, (_each, at) => [`new/${at}`, 'same']))
    let turns = 0
    const other = (): void => void (turns += 1)
    const timer = setInterval(other, 0)
    const { send, moved, gone } = await plan(now, before)
    clearInterval(timer)
    expect([send.length, moved.length, gone.length]).toEqual([0, count, 0])
    expect(turns).toBeGreaterThan(0)
  },
)
