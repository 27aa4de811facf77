import { describe, expect, test } from 'bun:test'
import { hasEnded, ownProcess, startOf } from './own-process.ts'

describe.skipIf(ownProcess === null)('a process of this machine', () => {
  const [place, pid, startedAt] = ownProcess?.split(' ') ?? []

  test('has not ended while it runs, this one or another', async () => {
    expect(hasEnded(ownProcess)).toBe(false)
    const child = Bun.spawn(['sleep', '600'])
    const name = `${place} ${child.pid} ${startOf(child.pid)}`
    expect(hasEnded(name)).toBe(false)
    child.kill()
    await child.exited
    expect(hasEnded(name)).toBe(true)
  })

  test('has ended when its number is used by another one', () => {
    expect(hasEnded(`${place} ${pid} ${Number(startedAt) - 1}`)).toBe(true)
  })

  test('of another user is seen', () => {
    expect(hasEnded(`${place} 1 ${startOf(1)}`)).toBe(false)
  })

  test.each([
    ['of another boot', `another ${pid} 1`],
    ['of another namespace', `${place?.replace(/\d+\]$/, '0]')} ${pid} 1`],
    ['without a name', null],
    ['with a name that says nothing', ''],
  ])('%s may be running', (_what, name) => expect(hasEnded(name)).toBe(false))
})
