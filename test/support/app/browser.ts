/**
 * A real Chromium for journeys through the console: the one of the system, started once for a test
 * file. The one without windows (`apt-get install chromium-headless-shell`) takes a third of the time:
 * it draws a page in the background as fast as the one in front.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'

const paths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Where the browser is; null when there is none. */
export const chromiumPath: string | null = paths.find((path) => existsSync(path)) ?? null

/** Why journeys are skipped; null when they are not. */
export const browserMissing: string | null =
  chromiumPath === null ? 'no Chromium on this machine (apt-get install chromium-headless-shell)' : null

/** Starts the browser; whoever calls closes it. */
export async function startBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error(browserMissing ?? '')
  // A container gives no namespaces to build a sandbox of, and little shared memory.
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Everything that a page complained about while it was used. */
export interface Complaints {
  /** Errors of scripts, and messages of the console that are errors: refused by the CSP, for example. */
  readonly errors: string[]
  /** Requests to anywhere but the server. */
  readonly foreign: string[]
}

/** Collects complaints of a page from now on. Refusals that a journey provokes are no complaints. */
export function collectComplaints(page: Page, origin: string): Complaints {
  const complaints: Complaints = { errors: [], foreign: [] }
  page.on('pageerror', (error) => complaints.errors.push(error.message))
  page.on('console', (message) => {
    const provoked = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !provoked) complaints.errors.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.foreign.push(request.url())
  })
  return complaints
}

/** What axe finds wrong with the page as it is now: rule and place, empty when nothing is. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's own policy does not concern.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { readonly axe: typeof axe }
    // Guards of the dialog library pass the focus on as soon as they get it; hidden is right for them.
    const { violations } = await checker.run({ exclude: [['[data-base-ui-focus-guard]']] })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}`),
    )
  })
}
