// Takes pictures of addresses of the console with the sample data.
import { startBrowser } from '#test/support/app/browser.ts'
import { startConsoleApp, visitAs } from '#test/support/app/console-app.ts'
import { fillConsole } from '#test/support/app/console-sample.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'
const [out = '/tmp/shots', sizes = '1440', schemes = 'light', ...paths] = process.argv.slice(2)
const upstream = await startUpstream()
const app = await startConsoleApp(['documents.reader_processes=1'])
if (!process.env.EMPTY) await fillConsole(app, upstream.url)
const users = (await app.call<{ data: { id: string; email: string }[] }>('GET', '/users')).body.data
const groups = (await app.call<{ data: { id: string; name: string }[] }>('GET', '/groups')).body.data
const browser = await startBrowser()
const { mkdirSync } = await import('node:fs')
mkdirSync(out, { recursive: true })
for (const scheme of schemes.split(',') as ('light' | 'dark')[]) {
  const visitor = await visitAs(browser, app, { who: (process.env.WHO as 'user') ?? 'admin', path: '/account', colorScheme: scheme })
  for (const given of paths) {
    const [raw = '', action] = given.split('::')
    const path = raw.replace(/USER\((.*?)\)/, (_, e) => users.find((u) => u.email.startsWith(e))?.id ?? '').replace(/GROUP\((.*?)\)/, (_, e) => groups.find((u) => u.name === e)?.id ?? '')
    for (const size of sizes.split(',')) {
      await visitor.page.setViewportSize({ width: Number(size), height: 900 })
      await visitor.open(path)
      await visitor.page.waitForLoadState('networkidle').catch(() => undefined)
      if (action !== undefined) { await new Function('page', `return (async()=>{${action}})()`)(visitor.page); await visitor.page.waitForTimeout(400) }
      const name = `${out}/${given.replace(/[^a-z0-9]+/gi, '_').slice(0, 60)}-${size}-${scheme}.png`
      await visitor.page.screenshot({ path: name, fullPage: process.env.FULL === '1' })
      console.log(name, JSON.stringify(visitor.complaints.errors))
      visitor.complaints.errors.length = 0
    }
  }
}
await browser.close()
await app[Symbol.asyncDispose]()
await upstream.close()
process.exit(0)
