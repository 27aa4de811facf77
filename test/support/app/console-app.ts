/**
 * The real app with the built console, an administrator and a user who can sign in, the practice
 * models, and a browser's page set upon it.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConsoleFiles } from '#console/console-files.ts'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { adminEmail, startAdminApp, userEmail, type AdminApp } from './admin-app.ts'
import { axeViolations, browserMissing, collectComplaints, type Complaints } from './browser.ts'

export const password = 'correct horse battery'

const root = join(import.meta.dir, '../../..')

/** Why journeys are skipped; null when they are not. */
export const journeysSkipped: string | null =
  browserMissing ??
  (existsSync(join(root, 'node_modules/vite')) ? null : 'no build tool here (npm ci without --omit=dev)')

let built: Promise<string> | null = null

/**
 * Builds the console from its sources, so that no journey goes through an old one; once for all test
 * files of this process, in a directory of its own, which is the answer.
 */
export function buildConsole(): Promise<string> {
  return (built ??= build())
}

async function build(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-console-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const building = Bun.spawn([process.execPath, join(root, 'scripts/build-ui.ts'), '--out', directory], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const problems = await new Response(building.stderr).text()
  if ((await building.exited) !== 0) throw new Error(`the console cannot be built:\n${problems}`)
  return directory
}

/** A hash of the password that is checked at each sign-in of a test: a hash of the real strength takes a quarter of a second. */
function cheapHash(): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
}

/** The app with its models and the console as its sources are; whoever calls disposes of it. */
export async function startConsoleApp(
  set: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<AdminApp> {
  const consoleFiles = readConsoleFiles(await buildConsole())
  if (consoleFiles === null) throw new Error('the console is not built')
  const app = await startAdminApp({ set, environment, consoleFiles })
  for (const id of [app.adminId, app.userId])
    await app.store.users.setPassword(id, { hash: await cheapHash(), isTemporary: false }, app.now())
  const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
  const model = (name: string, fields: object): Promise<unknown> =>
    app.call('POST', '/models', { body: { name, provider_id: provider.body.id, ...fields } })
  await model('demo-chat', {
    aliases: ['assistant', 'gpt-small'],
    description: 'Practice model: no AI is behind it.',
    context_length: 128_000,
    capabilities: { endpoints: ['chat/completions', 'completions'], input: ['text', 'image'], tools: true },
  })
  await model('demo-embed', { capabilities: { endpoints: ['embeddings'], input: ['text'] } })
  return app
}

/** A visitor: a page of its own, without cookies. */
export interface Visitor extends AsyncDisposable {
  readonly page: Page
  readonly complaints: Complaints
  /** Opens an address of the console. */
  open(path: string): Promise<void>
  /** Fills in the sign-in form that is shown, and sends it. */
  signIn(who: 'admin' | 'user', typed?: string): Promise<void>
  /** Throws with everything that axe finds wrong now. */
  requireAccessible(where: string): Promise<void>
}

/** A visitor at an address of the console, with a session: most tests are not about signing in, which takes a page of its own. */
export async function visitAs(
  browser: Browser,
  app: AdminApp,
  who: 'admin' | 'user',
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await visit(browser, app, options)
  const email = who === 'admin' ? adminEmail : userEmail
  // The window keeps the cookie of the answer.
  await visitor.page.context().request.post(`${app.url}/admin/api/v1/session`, { data: { email, password } })
  await visitor.open(path)
  return visitor
}

/** Opens a window of its own in the browser. */
export async function visit(
  browser: Browser,
  { url }: AdminApp,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  return {
    page,
    complaints: collectComplaints(page, url),
    async open(path) {
      await page.goto(url + path)
    },
    async signIn(who, typed = password) {
      await page.getByLabel('E-mail address').fill(who === 'admin' ? adminEmail : userEmail)
      await page.getByLabel('Password').fill(typed)
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
    async requireAccessible(where) {
      const violations = await axeViolations(page)
      if (violations.length > 0) throw new Error(`${where}:\n${violations.join('\n')}`)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}
