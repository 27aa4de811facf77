import { describe, expect, test } from 'bun:test'
import { oneAtATime } from './last-administrator.ts'

describe('oneAtATime', () => {
  test('a task begins when the one before has ended, in the order of the calls', async () => {
    const serially = oneAtATime()
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = serially(async () => {
      events.push('first begins')
      await gate.promise
      events.push('first ends')
    })
    const second = serially(async () => void events.push('second'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(events).toEqual(['first begins'])
    gate.resolve()
    await Promise.all([first, second])
    expect(events).toEqual(['first begins', 'first ends', 'second'])
  })

  test('a task that fails tells its own caller and stops nobody else', async () => {
    const serially = oneAtATime()
    const failing = serially((): Promise<string> => Promise.reject(new Error('no')))
    const next = serially(() => Promise.resolve('done'))
    expect(await failing.catch((error: unknown) => String(error))).toBe('Error: no')
    expect(await next).toBe('done')
  })
})
