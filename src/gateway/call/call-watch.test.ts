import { describe, expect, test } from 'bun:test'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Tick } from '#lib/ticker.ts'
import { runTick, Ticker } from '#lib/ticker.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { CallWatch } from './call-watch.ts'

/** A ticker that ticks when the test says so. */
class ManualTicker extends Ticker {
  readonly #ticks = new Set<Tick>()

  override add(tick: Tick): void {
    super.add(tick)
    this.#ticks.add(tick)
  }

  override delete(tick: Tick): void {
    super.delete(tick)
    this.#ticks.delete(tick)
  }

  tick(): void {
    for (const tick of this.#ticks) runTick(tick)
  }
}

interface Watched extends Disposable {
  readonly watch: CallWatch
  readonly ticker: ManualTicker
  readonly client: AbortController
  readonly shutdown: AbortController
  readonly context: RequestContext
  /** Lets time pass and the ticker notice it. */
  pass(seconds: number): void
}

async function watched(totalSeconds = 100, client = new AbortController()): Promise<Watched> {
  const clock = new ManualClock()
  const context = await contextOf(new Request('http://localhost/x', { signal: client.signal }), clock)
  const ticker = new ManualTicker(2_000_000)
  const shutdown = new AbortController()
  const watch = new CallWatch(context, { ticker, shutdown: shutdown.signal }, totalSeconds)
  return {
    watch,
    ticker,
    client,
    shutdown,
    context,
    pass(seconds) {
      clock.advance(seconds * 1000)
      ticker.tick()
    },
    [Symbol.dispose]: () => ticker[Symbol.dispose](),
  }
}

function codeOf({ watch }: Watched): string | null {
  expect(watch.signal.aborted).toBe(watch.reason !== null)
  return watch.reason?.code ?? null
}

describe('a call is ended', () => {
  test('when its client goes away, at once', async () => {
    using call = await watched()
    call.ticker.tick()
    expect(codeOf(call)).toBeNull()
    call.client.abort()
    expect(codeOf(call)).toBe('client_closed')
  })

  test('when its client was gone before', async () => {
    const client = new AbortController()
    client.abort()
    using call = await watched(100, client)
    call.ticker.tick()
    expect(codeOf(call)).toBe('client_closed')
  })

  test('when its client leaves before the first tick, at that tick', async () => {
    using call = await watched()
    call.client.abort()
    expect(codeOf(call)).toBeNull()
    call.ticker.tick()
    expect(codeOf(call)).toBe('client_closed')
  })

  test('when the server has waited long enough', async () => {
    using call = await watched()
    call.shutdown.abort()
    call.ticker.tick()
    expect(codeOf(call)).toBe('shutting_down')
  })

  test('after the silence that it was given, and not before', async () => {
    using call = await watched()
    call.watch.expect('first-token', 5)
    call.pass(5)
    expect(codeOf(call)).toBeNull()
    call.pass(0.001)
    expect(codeOf(call)).toBe('upstream_timeout')
    expect(call.watch.reason?.message).toContain('first token')
  })

  test('after an idle silence, in other words', async () => {
    using call = await watched()
    call.watch.expect('first-token', 5)
    call.pass(4)
    call.watch.expect('idle', 2)
    call.pass(2)
    expect(codeOf(call)).toBeNull()
    call.pass(0.001)
    expect(call.watch.reason?.message).toContain('in the middle')
  })

  test('never by silence while nothing is expected', async () => {
    using call = await watched()
    call.pass(50)
    call.watch.expect('idle', 1)
    call.watch.rest()
    call.pass(50)
    expect(codeOf(call)).toBeNull()
  })

  test('when the whole call takes too long, however much the upstream sends', async () => {
    using call = await watched(10)
    for (let second = 0; second < 10; second += 1) {
      call.watch.expect('idle', 2)
      call.pass(1)
    }
    expect(codeOf(call)).toBeNull()
    call.pass(0.001)
    expect(call.watch.reason?.message).toContain('whole request')
  })

  test('by any caller with a reason, and the first reason stays', async () => {
    using call = await watched(1)
    call.watch.end(new ApiError('upstream_invalid_response'))
    call.pass(5)
    call.client.abort()
    call.watch.end(new ApiError('internal_error'))
    expect(codeOf(call)).toBe('upstream_invalid_response')
  })
})

test('after disposal nothing ends the call, nothing is left on the ticker, and a second time does no harm', async () => {
  using call = await watched(1)
  expect(call.ticker.size).toBe(1)
  call.watch[Symbol.dispose]()
  call.watch[Symbol.dispose]()
  expect(call.ticker.size).toBe(0)
  call.client.abort()
  call.shutdown.abort()
  call.pass(1000)
  expect(codeOf(call)).toBeNull()
})
