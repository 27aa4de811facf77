/**
 * Does the table of requests stay smooth with 10,000 rows? Scrolls the page of requests from its first
 * row to its last in Chromium, by steps of a wheel and by the keyboard, and collects how long the
 * frames took while rows and further pages were brought in.
 *
 * A frame is what lies between two calls of requestAnimationFrame, so whatever else the machine does
 * shows in it. The CPU time of the page's main thread for each layout does not depend on that.
 */
import type { Browser, Page } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { visit } from '#test/support/app/console-app.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'

/** What a frame may take. */
export const frameMsMax = 50
const batchRows = 500

interface Frames {
  /** Milliseconds of each frame. */
  readonly frames: readonly number[]
  /** Milliseconds of each task of 50 ms or more, as the browser reports them. */
  readonly longTasks: readonly number[]
  /** CPU time of the page's main thread, for each time that it laid out rows. */
  readonly layoutMs: number
}

export interface Scroll extends Frames {
  readonly how: string
}

export interface ScrollPlan {
  readonly browser: Browser
  /** As startConsoleApp makes it; gets this many requests. */
  readonly app: AdminApp
  readonly rows: number
}

/** Fills the app's usage, scrolls through it, and tells the frames of each way of scrolling. */
export async function scrollRequests({ browser, app, rows }: ScrollPlan): Promise<readonly Scroll[]> {
  await fill(app, rows)
  await using visitor = await visit(browser, app)
  const { page } = visitor
  await visitor.open('/requests')
  await visitor.signIn('admin')
  await page.locator('tr[data-index="0"]').waitFor()

  const wheel = await measured(page, () => scrollToEnd(page, rows))
  await page.evaluate(scrollToTop)
  await page.locator('tr[data-index="0"]').waitFor()
  const loaded = await measured(page, () => scrollToEnd(page, rows))
  await page.evaluate(scrollToTop)
  await page.locator('tr[data-index="0"]').focus()
  const keyboard = await measured(page, async () => {
    for (let press = 0; press < 100; press += 1) await page.keyboard.press('PageDown')
  })
  return [
    { how: 'wheel, pages being fetched', ...wheel },
    { how: 'wheel, all there', ...loaded },
    { how: 'Page Down', ...keyboard },
  ]
}

async function fill({ store, adminId, userId }: AdminApp, count: number): Promise<void> {
  const now = Date.now()
  for (let from = 0; from < count; from += batchRows) {
    const batch = Array.from({ length: Math.min(batchRows, count - from) }, (_, index) =>
      recordOf(from + index, now, (from + index) % 3 === 0 ? adminId : userId),
    )
    await store.usage.insertMany(batch)
  }
}

function recordOf(index: number, now: number, userId: string): UsageRecord {
  const failed = index % 20 === 0
  return {
    at: now - 1000 - index * 5000,
    requestId: `req_${index}`,
    keyId: null,
    userId,
    endpoint: 'chat/completions',
    modelAsked: 'assistant',
    modelId: null,
    modelServed: 'demo-chat',
    provider: 'practice',
    upstreamStatus: failed ? 502 : 200,
    status: failed ? 502 : 200,
    code: failed ? 'upstream_error' : null,
    streamed: true,
    promptTokens: index % 4000,
    completionTokens: index % 300,
    firstTokenMs: 100 + (index % 300),
    durationMs: 500 + (index % 5000),
    requestBytes: 900,
    responseBytes: 20_000,
    attempts: failed ? 2 : 1,
    upstreamModel: 'demo-chat',
    attemptReasons: failed ? [{ provider: 'nowhere', reason: 'upstream_unreachable' }] : null,
    cachedTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    cost: null,
    priceId: null,
    units: null,
    counters: null,
    slices: null,
    queueMs: null,
    calledMs: null,
    limits: null,
  }
}

/** Runs in the page: collects frames and long tasks until it is stopped. */
const watchFrames = `(() => {
  const state = { frames: [], longTasks: [], running: true }
  globalThis.scrollBench = state
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) state.longTasks.push(entry.duration)
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const frame = (at) => {
    state.frames.push(at - last)
    last = at
    if (state.running) requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})()`

/** Runs in the page: what was collected, without the first frame, which began before anything was done. */
const framesSeen = `(() => {
  const { frames, longTasks } = globalThis.scrollBench
  globalThis.scrollBench.running = false
  return { frames: frames.slice(1), longTasks }
})()`

const scrollToTop = "document.querySelector('tr[data-index]').closest('table').parentElement.scrollTo(0, 0)"

/** What the page did, frame by frame, while something was done with it. */
async function measured(target: Page, work: () => Promise<void>): Promise<Frames> {
  const session = await target.context().newCDPSession(target)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const metrics = async (): Promise<ReadonlyMap<string, number>> =>
    new Map((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]))
  const before = await metrics()
  await target.evaluate(watchFrames)
  await work()
  const seen = await target.evaluate<Omit<Frames, 'layoutMs'>>(framesSeen)
  const after = await metrics()
  await session.detach()
  const spent = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  return { ...seen, layoutMs: (spent('TaskDuration') * 1000) / Math.max(1, spent('LayoutCount')) }
}

/** Wheel steps at the browser's own pace until the last row is in the page. */
async function scrollToEnd(target: Page, count: number): Promise<void> {
  await target.locator('table').hover()
  const lastRow = `tr[data-index="${count - 1}"]`
  while ((await target.locator(lastRow).count()) === 0) await target.mouse.wheel(0, 3000)
}
