import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Outbox } from './outbox.ts'

describe('the outbox', () => {
  test('keeps the order of each writer and loses nothing, however they interleave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }), fc.nat(5), async (counts, pauses) => {
        const outbox = new Outbox()
        const writers = counts.map(async (count, writer) => {
          for (let index = 0; index < count; index += 1) {
            for (let turn = 0; turn < (writer * pauses) % 4; turn += 1) await Promise.resolve()
            await outbox.put(Buffer.from(`${writer}:${index};`))
          }
        })
        void Promise.all(writers).then(() => outbox.end())
        let all = ''
        for (let bytes = await outbox.take(); bytes !== null; bytes = await outbox.take()) all += Buffer.from(bytes)
        const seen = counts.map((_, writer) =>
          [...all.matchAll(new RegExp(`\\b${writer}:(\\d+);`, 'g'))].map((match) => Number(match[1])),
        )
        expect(seen).toEqual(counts.map((count) => Array.from({ length: count }, (_, index) => index)))
      }),
    )
  })

  test('makes writers wait until a reader has taken what they wrote', async () => {
    const outbox = new Outbox()
    let isTaken = false
    const written = outbox.put(Buffer.from('a')).then(() => (isTaken = true))
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(isTaken).toBe(false)
    expect(Buffer.from((await outbox.take())!).toString()).toBe('a')
    await written
  })

  test('lets everybody go when nobody reads any more', async () => {
    const outbox = new Outbox()
    const written = outbox.put(Buffer.from('a'))
    outbox.drop()
    await written
    await outbox.put(Buffer.from('b'))
    expect(await outbox.take()).toBeNull()
  })
})
