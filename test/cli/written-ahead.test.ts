/** Requests with a budget that were under way when their server was killed: none is forgotten, and none counts twice. */
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { framesIn } from '#gateway/usage/journal-frames.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { hang, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
/** 10^-9 of the currency, at 1 for a million tokens of output: three were used, and ten could have been. */
const [answered, bound] = [3000, 10_000]

interface Row {
  readonly request_id: string
  readonly status: number
  readonly code: string | null
  readonly cost: number | null
  readonly provider: string | null
}

function journals(sluice: Installation): string[] {
  return readdirSync(join(sluice.dataDirectory, 'usage'))
}

/** Records of requests that have ended, in the files. */
function journaled(sluice: Installation): number {
  const files = journals(sluice).filter((name) => name.endsWith('.journal'))
  const frames = files.flatMap((name) => [...framesIn(readFileSync(join(sluice.dataDirectory, 'usage', name)))])
  return frames.reduce((sum, { count }) => sum + count, 0)
}

async function admin<T>(sluice: Installation, path: string, body?: object): Promise<T> {
  const answer = await fetch(`http://localhost/admin/api/v1${path}`, {
    unix: join(sluice.dataDirectory, 'control.sock'),
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as T
}

async function rows(sluice: Installation): Promise<readonly Row[]> {
  return (await admin<{ data: readonly Row[] }>(sluice, '/requests?limit=200')).data
}

/** A model at this provider, with a price and a budget. */
async function addBudgetedModel(sluice: Installation, { url }: Upstream, isHard = true): Promise<void> {
  const provider = await admin<{ id: string }>(sluice, '/providers', { name: 'up', kind: 'openai', base_url: url })
  await admin(sluice, '/models', { name: 'm', provider_id: provider.id })
  await sluice.json(['prices', 'set', 'm', 'output=1'])
  await sluice.json(['budgets', 'add', 'model', 'm', '50', ...(isHard ? [] : ['--soft'])])
}

function ask(server: RunningServer, key: string): Promise<Response> {
  return fetch(`${server.address}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
  })
}

/** Some requests that end, and then some that are under way when the server is killed. */
async function killAmong(
  sluice: Installation,
  upstream: Upstream,
  { ended = 0, open = 0, isHard = true },
): Promise<void> {
  const server = await sluice.start(['--json'])
  const key = server.started.first_start!.api_key
  await addBudgetedModel(sluice, upstream, isHard)
  upstream.script(json(chatCompletion()))
  const answers = await Promise.all(Array.from({ length: ended }, () => ask(server, key)))
  for (const answer of answers) expect([answer.status, (await answer.json()) !== null]).toEqual([200, true])
  await until(async () => (await rows(sluice)).length === ended)
  upstream.script([hang])
  const cutOff = Array.from({ length: open }, () => ask(server, key).catch(() => null))
  await until(() => upstream.requests.length === ended + open)
  await server.kill()
  await Promise.all(cutOff)
}

const engines: Record<string, () => Promise<{ environment: Record<string, string>; end: () => Promise<void> }>> = {
  SQLite: () => Promise.resolve({ environment: {}, end: () => Promise.resolve() }),
  async PostgreSQL() {
    const schema = await makePostgresSchema(String(serverUrl))
    return { environment: { SLUICE_DATABASE_URL: schema.url }, end: () => schema.drop() }
  },
}

for (const [engine, open] of Object.entries(engines)) {
  describe.skipIf(engine === 'PostgreSQL' && serverUrl === undefined)(`on ${engine}`, () => {
    test.each([
      { ended: 0, open: 1 },
      { ended: 5, open: 12 },
      { ended: 40, open: 100 },
    ])(
      'of $ended requests that ended and $open that did not each has one record',
      async (counts) => {
        const { environment, end } = await open()
        await using ends = new AsyncDisposableStack()
        ends.defer(end)
        await using upstream = await startUpstream()
        await using sluice = new Installation(environment)
        await killAmong(sluice, upstream, counts)
        const all = counts.ended + counts.open
        await sluice.start()
        await until(async () => (await rows(sluice)).length === all)
        const stored = await rows(sluice)
        expect(new Set(stored.map(({ request_id: id }) => id)).size).toBe(all)
        const cut = stored.filter(({ status }) => status !== 200)
        const expected = { status: 500, code: 'interrupted', cost: bound, provider: 'up' }
        expect(cut).toEqual(cut.map(() => expect.objectContaining(expected)))
        expect(cut).toHaveLength(counts.open)
        const [budget] = await sluice.json<readonly { spent: number }[]>(['budgets', 'list'])
        expect(budget?.spent).toBe(counts.ended * answered + counts.open * bound)
        expect((await sluice.run(['budgets', 'verify'])).code).toBe(0)
        await until(() => journals(sluice).length === 0)
      },
      60_000,
    )
  })
}

test('with a soft budget they have a record without a cost', async () => {
  await using upstream = await startUpstream()
  await using sluice = new Installation()
  await killAmong(sluice, upstream, { open: 3, isHard: false })
  await sluice.start()
  await until(async () => (await rows(sluice)).length === 3)
  expect((await rows(sluice)).map(({ code, cost }) => [code, cost])).toEqual(
    Array.from({ length: 3 }, () => ['interrupted', null]),
  )
}, 60_000)

test('what was written ahead waits for the journal of its process, wherever that is', async () => {
  await using upstream = await startUpstream()
  await using sluice = new Installation({ SLUICE_USAGE_FLUSH_MILLISECONDS: '600000' })
  const server = await sluice.start(['--json'])
  await addBudgetedModel(sluice, upstream)
  upstream.script(json(chatCompletion()))
  for (let at = 0; at < 4; at += 1) await (await ask(server, server.started.first_start!.api_key)).arrayBuffer()
  await until(() => journaled(sluice) === 4)
  await server.kill()
  // As if another process had it, and were slow.
  const directory = join(sluice.dataDirectory, 'usage')
  const [journal = ''] = journals(sluice).filter((name) => name.endsWith('.journal'))
  const elsewhere = journal.replace(/@.*@/, '@elsewhere!1!1@')
  renameSync(join(directory, journal), join(directory, elsewhere))
  const second = await sluice.start()
  await until(async () => (await rows(sluice)).length === 0 && journals(sluice).length === 2)
  await second.stop()
  renameSync(join(directory, elsewhere), join(directory, journal))
  await sluice.start()
  await until(async () => (await rows(sluice)).length === 4)
  await until(() => journals(sluice).length === 0)
  expect((await rows(sluice)).map(({ status, cost }) => [status, cost])).toEqual(
    Array.from({ length: 4 }, () => [200, answered]),
  )
}, 60_000)
