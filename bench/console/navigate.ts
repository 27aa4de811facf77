/** How long after a press a page shows something, on a connection whose every answer takes 400 ms. */
import type { Browser } from 'playwright-core'
import type { AdminApp } from '#test/support/app/admin-app.ts'
import { visitAs } from '#test/support/app/console-app.ts'

export const navigationMsMax = 100
const latencyMs = 400

export interface Navigation {
  readonly address: string
  /** From the press until the page in view has changed, and been drawn. */
  readonly shownMs: number
}

/** Runs in the page: presses a link, and answers how long it took until something else was drawn. */
const press = `(address) => new Promise((done) => {
  const main = document.querySelector('#main')
  const begun = performance.now()
  const observer = new MutationObserver(() => {
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))
  })
  observer.observe(main, { childList: true, subtree: true, characterData: true })
  document.querySelector('nav a[href="' + address + '"]').click()
})`

/** Each page of the navigation, for the first time in its window. */
export async function navigate(browser: Browser, app: AdminApp): Promise<readonly Navigation[]> {
  await using visitor = await visitAs(browser, app, { who: 'admin', path: '/account' })
  const { page } = visitor
  await page.getByRole('heading', { level: 1 }).waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  const addresses = await page
    .locator('nav[aria-label="Pages"] a:not([target])')
    .evaluateAll((links) => links.map((link) => (link as unknown as { pathname: string }).pathname))
  const navigations: Navigation[] = []
  for (const address of addresses) {
    const shownMs = (await page.evaluate(`(${press})(${JSON.stringify(address)})`)) as number
    navigations.push({ address, shownMs })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
  }
  return navigations
}
