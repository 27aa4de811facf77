import { expect, test } from 'bun:test'
import { everything, readEntries, writeEntry } from './change-log.ts'
import type { Change } from './change.ts'

const read = (...entries: readonly (readonly Change[])[]) => readEntries(entries.map(writeEntry))

test('what was written is read', () => {
  const changes: readonly Change[] = [{ kind: 'user', id: 'u' }, { kind: 'catalog' }, { kind: 'settings' }]
  expect(read(changes)).toEqual(changes)
})

test('a change in several entries is read once', () => {
  expect(
    read([{ kind: 'catalog' }], [{ kind: 'key', id: 'a' }], [{ kind: 'catalog' }, { kind: 'key', id: 'b' }]),
  ).toEqual([{ kind: 'catalog' }, { kind: 'key', id: 'a' }, { kind: 'key', id: 'b' }])
})

test('a user and a key of the same id are two changes', () => {
  expect(read([{ kind: 'user', id: 'x' }], [{ kind: 'key', id: 'x' }])).toHaveLength(2)
})

test('the whole directory includes its users and keys, and nothing else', () => {
  expect(read([{ kind: 'key', id: 'a' }, { kind: 'catalog' }], [{ kind: 'directory' }])).toEqual([
    { kind: 'catalog' },
    { kind: 'directory' },
  ])
})

test('a kind that a later version wrote means that everything is read', () => {
  expect(readEntries(['[{"kind":"key","id":"a"}]', '[{"kind":"documents","id":"d"}]'])).toEqual(everything)
})
