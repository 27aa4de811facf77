import { expect, test } from 'bun:test'
import { contextOf } from '#test/support/app/request-context.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { runTick, Ticker, type Tick } from '#lib/ticker.ts'
import { CallWatch } from '../call/call-watch.ts'
import { FormBody } from '../request/form-body.ts'
import { uploadOf, type UploadTiming } from './upload.ts'

class HandTicker extends Ticker {
  #tick: Tick = () => {}

  override add(tick: Tick): void {
    this.#tick = tick
  }

  tick(): void {
    runTick(this.#tick)
  }
}

/** An upload of a form whose answer has begun, or not, and the time-out that it leaves behind. */
async function reasonAfter(seconds: number, answered: boolean): Promise<string | null> {
  const body = new FormData()
  body.set('model', 'm')
  body.set('file', new Blob(['a recording']), 'a.mp3')
  const clock = new ManualClock()
  const context = await contextOf(new Request('http://localhost/x', { method: 'POST', body }), clock)
  using form = await FormBody.open(context, { bytesMax: 10_000, readSeconds: 10 })
  using ticker = new HandTicker(1_000_000)
  using watch = new CallWatch(context, { ticker, shutdown: new AbortController().signal }, 1000)
  const timing: UploadTiming = { watch, firstTokenSeconds: 100, answered: false }
  const provider = aProvider()
  const upstream = {
    id: 'm',
    model: aModel(provider.id),
    provider,
    upstreamName: 'm',
    weight: 1,
    priority: 0,
    reasoning: null,
    prices: [],
    caps: [],
  }
  const upload = uploadOf(form, upstream, timing)
  await upload.body.read()
  timing.answered = answered
  if (answered) watch.expect('idle', 5)
  while ((await upload.body.read()) !== null);
  clock.advance(seconds * 1000)
  ticker.tick()
  return watch.reason?.message ?? null
}

test('the time-out for the first token starts again with each piece that is there to be sent', async () => {
  expect(await reasonAfter(99, false)).toBeNull()
  expect(await reasonAfter(101, false)).toContain('first token')
})

test('an answer that begins before the upload is over has the time-outs of an answer', async () => {
  expect(await reasonAfter(4, true)).toBeNull()
  expect(await reasonAfter(6, true)).toContain('in the middle of the answer')
})
