import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'bun:test'
import { nativeResponse, nativeResponseEvents, typedEventText } from '#test/support/contract/dialect-samples.ts'
import { TrackedResponseTap } from './tracked-response-tap.ts'
import type { ResponseInfo, ResponseTracker } from '../relay/relay.ts'
import { StreamTap } from '../relay/stream-tap.ts'

const lastTypes = new Set(['response.completed', 'response.failed', 'error'])
const plain = { stripUsage: false, rewriteModel: null, eventBytesMax: 1_000_000 }

/** The outcome of these bytes, in pieces that end at these offsets. */
async function outcome(text: string, offsets: readonly number[] = [], counts = true, mayBeEmpty = false) {
  const observed: ResponseInfo[] = []
  const tracker: ResponseTracker = {
    observe: async (response) => void observed.push(response),
    names: null,
    keeps: false,
    keep: () => Promise.resolve(),
    claimUsage: async () => counts,
  }
  const tap = new TrackedResponseTap(new StreamTap(plain, lastTypes), tracker, mayBeEmpty)
  const bytes = Buffer.from(text)
  const passed: Uint8Array[] = []
  /** Ids that were observed before anything of the answer went out. */
  let observedFirst = false
  for (const [at, end] of [...offsets, bytes.length].entries()) {
    const piece = tap.push(bytes.subarray(offsets[at - 1] ?? 0, end))
    await tap.pendingWrite
    if (piece !== null && passed.length === 0) observedFirst = observed.length > 0
    if (piece !== null) passed.push(piece)
  }
  const rest = tap.end()
  await tap.pendingWrite
  if (rest !== null) passed.push(rest)
  return {
    text: Buffer.concat(passed).toString(),
    ended: rest !== null,
    ids: observed.map(({ id }) => id),
    observedFirst,
    usage: tap.usage,
    failure: tap.failure,
  }
}

const text = nativeResponseEvents.map(typedEventText).join('')
const usage = { promptTokens: 25, completionTokens: 15 }

describe('the events of an answer', () => {
  test('pass as they are, and its id is noted once, before the first goes out, however they are cut', async () => {
    const whole = { text, ended: true, ids: [nativeResponse.id], observedFirst: true, usage, failure: null }
    for (let at = 0; at <= Buffer.from(text).length; at += 7) expect(await outcome(text, [at])).toEqual(whole)
  })

  test('have no usage for this request when another has counted it', async () => {
    expect(await outcome(text, [], false)).toMatchObject({ text, ended: true, usage: null })
  })

  test('may tell no answer at all, and that is broken off unless they are the rest of one', async () => {
    expect(await outcome('')).toMatchObject({ ended: false, ids: [] })
    expect(await outcome('', [], true, true)).toMatchObject({ ended: true, text: '' })
    const begun = typedEventText(nativeResponseEvents[1]!)
    expect(await outcome(begun, [], true, true)).toMatchObject({ ended: false, ids: [] })
  })

  test('that say that it failed are whole, with the reason', async () => {
    const error = { code: 'server_error', message: 'No capacity.' }
    const failed = { type: 'response.failed', response: { ...nativeResponse, status: 'failed', error, usage: null } }
    const flat = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null }
    expect(await outcome(typedEventText(failed))).toMatchObject({ ended: true, failure: error })
    const { failure } = await outcome(typedEventText(flat))
    expect(failure).toEqual({ code: 'rate_limit_exceeded', message: 'Slow down.' })
  })

  test('with ids that are none note nothing', async () => {
    const odd = { type: 'response.created', response: { ...nativeResponse, id: '../x' } }
    expect(await outcome(typedEventText(odd))).toMatchObject({ ids: [] })
    expect(await outcome('data: "response"\n\n')).toMatchObject({ ids: [] })
  })
})
