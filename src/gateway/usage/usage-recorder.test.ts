import { describe, expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import { createMetrics } from '#observe/metrics.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { recordsOf } from '#test/support/store/usage-batch.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { UsageRecorder } from './usage-recorder.ts'

type Write = (rows: readonly UsageRecord[]) => Promise<void>

async function recording({ queueMax = 10, write = async () => {} }: { queueMax?: number; write?: Write } = {}) {
  const written: UsageRecord[] = []
  const clock = new ManualClock()
  const metrics = createMetrics({ version: '0.0.0', codes: ['internal_error'] })
  const recorder = new UsageRecorder({
    metrics,
    queueMax,
    journal: null,
    write: async (batch) => {
      const rows = recordsOf(batch)
      await write(rows)
      written.push(...rows)
    },
  })
  const headers = { 'x-request-id': 'r-1' }
  const context = await contextOf(new Request('http://localhost/x', { headers }), clock)
  const caller = aCaller()
  const begin = () => recorder.begin(context, caller, 'chat/completions')
  /** Ends this many requests; each row can be told by its bytes. */
  const finish = (...bytes: readonly number[]) => {
    for (const responseBytes of bytes) {
      using record = begin()
      record.responseBytes = responseBytes
    }
  }
  const dropped = async () => Number(/^sluice_usage\w*dropped\w* (\d+)$/m.exec(await metrics.render())?.[1] ?? 0)
  return {
    recorder,
    written,
    clock,
    caller,
    begin,
    finish,
    dropped,
    bytes: () => written.map((row) => row.responseBytes),
  }
}

describe('a record', () => {
  test('becomes one row with everything that was learned', async () => {
    const { recorder, written, clock, caller, begin } = await recording()
    const provider = aProvider({ name: 'local' })
    const catalog = new Catalog({
      providers: [provider],
      models: [aModel(provider.id, { name: 'm' })],
      inflightOverrides: [],
    })
    const arrived = clock.now()
    const record = begin()
    record.modelAsked = 'alias'
    record.model = catalog.models[0]!
    record.streamed = true
    record.upstreamStatus = 200
    record.attempts = 2
    record.requestBytes = 70
    record.responseBytes = 90
    record.usage = { promptTokens: 3, completionTokens: null }
    clock.advance(120.4)
    record.firstToken()
    clock.advance(1000)
    record.firstToken()
    record[Symbol.dispose]()
    await recorder.flush()
    expect(written).toHaveLength(1)
    expect(written[0]).toMatchObject({
      requestId: 'r-1',
      keyId: caller.key!.id,
      userId: caller.account.user.id,
      endpoint: 'chat/completions',
      modelAsked: 'alias',
      modelId: catalog.models[0]!.record.id,
      modelServed: 'm',
      upstreamStatus: 200,
      status: 200,
      code: null,
      streamed: true,
      promptTokens: 3,
      completionTokens: null,
      firstTokenMs: 120,
      durationMs: 1120,
      requestBytes: 70,
      responseBytes: 90,
      attempts: 2,
    })
    expect(Math.abs(written[0]!.at - arrived)).toBeLessThanOrEqual(1)
  })

  test('of a request that got nowhere has no guesses in it', async () => {
    const { recorder, written, begin } = await recording()
    begin()[Symbol.dispose]()
    await recorder.flush()
    expect(written[0]).toMatchObject({
      modelAsked: null,
      modelId: null,
      modelServed: null,
      provider: null,
      upstreamStatus: null,
      promptTokens: null,
      completionTokens: null,
      firstTokenMs: null,
      attempts: 0,
    })
  })

  test('of a failure has what the client was answered', async () => {
    const { recorder, written, begin } = await recording()
    const codes = [
      new ApiError('model_not_found'),
      new ApiError('upstream_rejected', { status: 422, wireCode: 'theirs' }),
      new ApiError('upstream_rejected', { wireCode: null }),
    ]
    for (const error of codes) {
      using record = begin()
      record.fail(error)
    }
    await recorder.flush()
    expect(written.map(({ status, code }) => [status, code])).toEqual([
      [404, 'model_not_found'],
      [422, 'theirs'],
      [400, 'upstream_rejected'],
    ])
  })

  test('is written once, however often it is disposed and whatever comes after', async () => {
    const { recorder, written, begin } = await recording()
    const record = begin()
    record[Symbol.dispose]()
    record.fail(new ApiError('internal_error'))
    record[Symbol.dispose]()
    await recorder.flush()
    expect(written.map(({ status }) => status)).toEqual([200])
  })
})

describe('the queue', () => {
  test('is written in order, all of it, in batches, and is empty then', async () => {
    const batches: number[] = []
    const write: Write = async (rows) => void batches.push(rows.length)
    const { recorder, finish, bytes } = await recording({ queueMax: 20_000, write })
    const all = Array.from({ length: 9200 }, (_, index) => index)
    finish(...all)
    expect(recorder.depth).toBe(9200)
    await recorder.flush()
    expect(bytes()).toEqual(all)
    expect(batches).toHaveLength(3)
    expect(Math.max(...batches)).toBeLessThanOrEqual(4000)
    expect(recorder.depth).toBe(0)
    await recorder.flush()
    expect(batches).toHaveLength(3)
  })

  test('takes no more than fits, and counts what does not', async () => {
    const { recorder, finish, bytes, dropped } = await recording({ queueMax: 3 })
    finish(1, 2, 3, 4, 5)
    expect([recorder.depth, await dropped()]).toEqual([3, 2])
    await recorder.flush()
    expect(bytes()).toEqual([1, 2, 3])
    finish(6)
    await recorder.flush()
    expect(bytes()).toEqual([1, 2, 3, 6])
  })

  test('keeps what the store refuses, in order, before the rows that have come since', async () => {
    const refusing = Promise.withResolvers<void>()
    let refuse = true
    const write: Write = () => (refuse ? refusing.promise : Promise.resolve())
    const { recorder, finish, bytes, dropped } = await recording({ write })
    finish(1, 2)
    const flushing = recorder.flush()
    finish(3)
    refusing.reject(new Error('full disk'))
    expect(await rejection(flushing)).toEqual(new Error('full disk'))
    refuse = false
    await recorder.flush()
    expect([bytes(), await dropped()]).toEqual([[1, 2, 3], 0])
  })

  test('stays within its limit when refused rows come back, and counts the rest', async () => {
    const refusing = Promise.withResolvers<void>()
    let refuse = true
    const write: Write = () => (refuse ? refusing.promise : Promise.resolve())
    const { recorder, finish, bytes, dropped } = await recording({ queueMax: 3, write })
    finish(1, 2, 3)
    const flushing = recorder.flush()
    finish(4, 5)
    refusing.reject(new Error('full disk'))
    await rejection(flushing)
    expect([recorder.depth, await dropped()]).toEqual([3, 2])
    refuse = false
    await recorder.flush()
    expect(bytes()).toEqual([1, 4, 5])
  })
})
