import { expect, test } from 'bun:test'
import { systemClock } from '#lib/clock.ts'
import { CompletionNotifier } from './completion-notifier.ts'

test('a request that waits long listens to its signal once, and no more when it has its answer', async () => {
  let looks = 0
  const looked: PromiseWithResolvers<void>[] = []
  const running = { items: [{ id: 'one' }], nextCursor: null }
  const store = {
    async list() {
      looks += 1
      looked[looks - 1]?.resolve()
      return (looks < 20 ? running : { items: [], nextCursor: null }) as never
    },
  }
  const { signal } = new AbortController()
  let listeners = 0
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  let most = 0
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    most = Math.max(most, (listeners += 1))
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  for (let at = 0; at < 20; at += 1) looked.push(Promise.withResolvers())
  const notifier = new CompletionNotifier(store, systemClock)
  const waited = notifier.wait(['one'], 60, signal)
  for (const look of looked) {
    await look.promise
    notifier.notify()
  }
  await waited
  expect([most, listeners]).toEqual([1, 0])
})
