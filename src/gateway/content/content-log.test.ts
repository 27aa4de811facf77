/** Content waits for a database that is away, within bounds, and no request waits for content. */
import { expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import { loaded } from '#config/test-support.ts'
import { LiveSettings } from '#config/settings/live-settings.ts'
import type { FullContentLog } from '#store/content/content-logs.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { ContentLog } from './content-log.ts'
import { preparing } from './prepare-content.ts'

type Insert = (rows: readonly FullContentLog[]) => Promise<void>

async function logging(insert: Insert = async () => {}) {
  const { settings, sources } = loaded({ overrides: ['content_log.enabled=true', 'content_log.models=*'] })
  const written: FullContentLog[] = []
  let dropped = 0
  const log = new ContentLog({
    settings: new LiveSettings(settings, sources),
    store: {
      async insertMany(rows) {
        await insert(rows)
        written.push(...rows)
      },
    },
    prepare: (raw, rules) => Promise.resolve(preparing(rules)(raw)),
    groupName: () => undefined,
    onDropped: (requests) => void (dropped += requests),
  })
  const context = await contextOf(new Request('http://localhost/x'))
  const provider = aProvider()
  const catalog = new Catalog({ providers: [provider], models: [aModel(provider.id)], inflightOverrides: [] })
  const begin = (text: string | Uint8Array) =>
    log.begin({
      context,
      caller: aCaller(),
      model: catalog.models[0]!,
      endpoint: 'chat/completions',
      bytes: () => Buffer.from(text),
    })
  return { log, written, begin, texts: () => written.map(({ request }) => request), dropped: () => dropped }
}

test('rows that the database refuses are written when it is back, in their order, once', async () => {
  let isAway = true
  const { log, begin, texts, dropped } = await logging(() =>
    isAway ? Promise.reject(new StoreUnavailable(new Error('away'))) : Promise.resolve(),
  )
  for (const n of [1, 2, 3]) begin(`q${n}`)?.end(200, null)
  expect(await rejection(log.flush())).toBeInstanceOf(StoreUnavailable)
  begin('q4')?.end(200, null)
  expect(log.depth).toBe(4)
  isAway = false
  await log.flush()
  expect(texts()).toEqual(['q1', 'q2', 'q3', 'q4'])
  expect([log.depth, dropped()]).toEqual([0, 0])
})

test('what waits is bounded: content beyond it is dropped and counted, and later content has room again', async () => {
  const written = Promise.withResolvers<void>()
  const { log, begin, texts, dropped } = await logging(() => written.promise)
  const large = Buffer.alloc(30 * 1024 * 1024, 'a ')
  // Requests that are under way hold their bodies: four of them fit.
  const running = Array.from({ length: 6 }, () => begin(large))
  expect(running.map((sink) => sink === null)).toEqual([false, false, false, false, true, true])
  expect(dropped()).toBe(2)
  for (const sink of running) sink?.end(200, null)
  const flushing = log.flush()
  // A database that does not answer holds up nothing but the log.
  while (log.depth > 0) await new Promise((resolve) => setImmediate(resolve))
  begin('small')?.end(200, null)
  written.resolve()
  await flushing
  await log.flush()
  expect(texts().map((text) => text.length)).toEqual([262_144, 262_144, 262_144, 262_144, 5])
})

test('of an answer that is too long its beginning is kept, never pieces with a gap', async () => {
  const { log, written, begin } = await logging()
  const sink = begin('q')
  const piece = Buffer.alloc(6 * 1024 * 1024, 'a')
  for (const _ of [1, 2, 3, 4]) sink?.answer(piece)
  sink?.answer(Buffer.from('end'))
  sink?.end(200, null)
  await log.flush()
  expect(written[0]).toMatchObject({ answerCut: true })
  expect(written[0]?.answer).not.toContain('end')
})

test('a body that is too large to be looked at is named by its size', async () => {
  const { log, written, begin } = await logging()
  begin(Buffer.alloc(33 * 1024 * 1024, 'a'))?.end(200, null)
  await log.flush()
  expect(written[0]).toMatchObject({ request: '', requestCut: true, answer: null })
})
