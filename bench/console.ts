/**
 * Is the console quick? Its first load and a table of 10,000 requests, in a real Chromium on the real
 * app with the console built from its sources. Every load begins with an empty cache and nothing
 * of the session except its cookie.
 */
import type { Browser, CDPSession, Page } from 'playwright-core'
import { adminEmail, type AdminApp } from '#test/support/app/admin-app.ts'
import { startBrowser } from '#test/support/app/browser.ts'
import { password, startConsoleApp } from '#test/support/app/console-app.ts'
import { navigate, navigationMsMax, type Navigation } from './console/navigate.ts'
import { frameMsMax, scrollRequests } from './console/scroll-requests.ts'
import { median, percentile } from './measure.ts'
import { figure, type Table } from './table.ts'

export interface ConsolePlan {
  readonly loads: number
  readonly rows: number
}

/** A task of the main thread that people can feel, as the Long Tasks specification has it. */
const longTaskMs = 50
/** How long nothing may happen before a page counts as ready: well above the gap between two requests of one load. */
const quietMs = 1000

interface Load {
  readonly scriptBytes: number
  readonly styleBytes: number
  readonly firstPaintMs: number
  readonly largestPaintMs: number
  readonly interactiveMs: number
  readonly blockedMs: number
  readonly longestTaskMs: number
}

export async function measureConsole({ loads, rows }: ConsolePlan): Promise<Table> {
  await using app = await startConsoleApp()
  await using browser = await startBrowser()
  const signIn = await eachLoad(loads, () => load(browser, app, '/sign-in'))
  const cookie = await sessionCookie(app)
  const overview = await eachLoad(loads, () => load(browser, app, '/', cookie))
  const navigations = await navigate(browser, app)
  const scrolls = await scrollRequests({ browser, app, rows })
  return {
    title: 'Console',
    method:
      `${loads} loads each with an empty cache: medians, the worst in parentheses. Bytes are those that came over the connection, gzipped. ` +
      'Interactive is the later of the largest contentful paint and the end of the last long task before one second without requests and long tasks: ' +
      'stricter than Lighthouse, which takes the first paint, but with this machine’s own processor and network; a long task takes 50 ms or more. ' +
      'A navigation is timed from the press until something else is drawn, with 400 ms of delay on every answer, each page for the first time. ' +
      `Scrolling is through a table of ${figure(rows, 0)} requests.`,
    columns: ['what', 'measured', 'asked for'],
    rows: [
      ...loadRows('sign-in', signIn),
      ...loadRows('overview', overview),
      navigationRow(navigations),
      ...scrollRows(scrolls),
    ],
    rounds: { signIn, overview, navigations, scrolls },
  }
}

/** One load that is not counted, so that no file of the server is read for the first time. */
async function eachLoad(count: number, run: () => Promise<Load>): Promise<readonly Load[]> {
  await run()
  const results: Load[] = []
  for (let round = 0; round < count; round += 1) results.push(await run())
  return results
}

type Cookie = Readonly<{ name: string; value: string; url: string }>

async function sessionCookie({ url }: AdminApp): Promise<Cookie> {
  const response = await fetch(`${url}/admin/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: adminEmail, password }),
  })
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? '') ?? []
  if (name === undefined || value === undefined) throw new Error(`no session: ${response.status}`)
  return { name, value, url }
}

async function load(browser: Browser, { url }: AdminApp, path: string, cookie?: Cookie): Promise<Load> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // What the limit is meant by; brotli makes fewer bytes of it.
    extraHTTPHeaders: { 'accept-encoding': 'gzip' },
  })
  if (cookie !== undefined) await context.addCookies([cookie])
  const page = await context.newPage()
  await page.addInitScript(watchLoad)
  const session = await context.newCDPSession(page)
  const bytes = await countBytes(session)
  await page.goto(url + path)
  await page.locator('h1').waitFor()
  const seen = await untilQuiet(page)
  const result = { scriptBytes: bytes.of('Script'), styleBytes: bytes.of('Stylesheet'), ...seen }
  await context.close()
  return result
}

/** Bytes that came over the connection, gzipped, by the browser's own kinds of resource. */
async function countBytes(session: CDPSession): Promise<{ of(kind: string): number }> {
  await session.send('Network.enable')
  const kinds = new Map<string, string>()
  const sums = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? ''
    sums.set(kind, (sums.get(kind) ?? 0) + encodedDataLength)
  })
  return { of: (kind) => sums.get(kind) ?? 0 }
}

/** Runs in the page before anything of it: collects paints, requests and long tasks. */
const watchLoad = `(() => {
  const state = { paints: {}, ends: [], tasks: [] }
  globalThis.loadBench = state
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  observe('paint', ({ name, startTime }) => { state.paints[name] = startTime })
  observe('largest-contentful-paint', ({ startTime }) => { state.paints.largest = startTime })
  observe('longtask', ({ startTime, duration }) => state.tasks.push([startTime, duration]))
  observe('resource', ({ responseEnd }) => state.ends.push(responseEnd))
})()`

interface Watched {
  readonly paints: Readonly<Record<string, number>>
  readonly ends: readonly number[]
  /** Beginning and length of each. */
  readonly tasks: readonly (readonly [number, number])[]
  readonly now: number
}

/** Waits for a second in which nothing is loaded and no long task runs, and tells what was before it. */
async function untilQuiet(page: Page): Promise<Omit<Load, 'scriptBytes' | 'styleBytes'>> {
  for (;;) {
    const seen = await page.evaluate<Watched>('({ ...loadBench, now: performance.now() })')
    const { paints, ends, tasks, now } = seen
    const taskEnds = tasks.map(([start, length]) => start + length)
    const firstPaintMs = paints['first-contentful-paint'] ?? Infinity
    const largestPaintMs = paints['largest'] ?? firstPaintMs
    if (now - Math.max(firstPaintMs, ...ends, ...taskEnds) > quietMs) {
      return {
        firstPaintMs,
        largestPaintMs,
        interactiveMs: Math.max(largestPaintMs, ...taskEnds),
        blockedMs: tasks.reduce((sum, [, length]) => sum + length - longTaskMs, 0),
        longestTaskMs: Math.max(0, ...tasks.map(([, length]) => length)),
      }
    }
    await Bun.sleep(50)
  }
}

function loadRows(page: string, loads: readonly Load[]): readonly (readonly string[])[] {
  const of = (name: keyof Load, unit: string, scale = 1, decimals = 0): string => {
    const values = loads.map((each) => each[name] / scale)
    return `${figure(median(values), decimals)} (${figure(Math.max(...values), decimals)}) ${unit}`
  }
  return [
    [`${page}: JavaScript`, of('scriptBytes', 'KB', 1024, 1), '≤ 150 KB'],
    [`${page}: CSS`, of('styleBytes', 'KB', 1024, 1), ''],
    [`${page}: first contentful paint`, of('firstPaintMs', 'ms'), ''],
    [`${page}: largest contentful paint`, of('largestPaintMs', 'ms'), ''],
    [`${page}: interactive`, of('interactiveMs', 'ms'), '≤ 1,000 ms'],
    [`${page}: longest task`, of('longestTaskMs', 'ms'), ''],
    [`${page}: total blocking time`, of('blockedMs', 'ms'), ''],
  ]
}

function navigationRow(navigations: readonly Navigation[]): readonly string[] {
  const times = navigations.map(({ shownMs }) => shownMs)
  const shown = `${figure(median(times))} (${figure(Math.max(...times))}) ms of ${times.length} pages`
  return ['navigation at 400 ms of delay: something is drawn', shown, `≤ ${navigationMsMax} ms`]
}

function scrollRows(scrolls: Awaited<ReturnType<typeof scrollRequests>>): readonly (readonly (string | number)[])[] {
  return scrolls.flatMap(({ how, frames, longTasks, layoutMs }) => [
    [`${how}: median frame`, `${figure(median(frames))} ms of ${frames.length} frames`, ''],
    [`${how}: 99th percentile`, `${figure(percentile(frames, 0.99))} ms`, ''],
    [`${how}: longest frame`, `${figure(Math.max(...frames))} ms`, `≤ ${frameMsMax} ms`],
    [`${how}: frames over ${frameMsMax} ms`, frames.filter((ms) => ms > frameMsMax).length, 0],
    [`${how}: long tasks`, longTasks.length, ''],
    [`${how}: CPU time a layout`, `${figure(layoutMs)} ms`, ''],
  ])
}
