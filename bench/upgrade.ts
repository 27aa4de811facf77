/**
 * Does an upgrade stop anything? Three processes of the last release on PostgreSQL behind nginx serve chats, streams and imports
 * while each is replaced by one of the working tree, and then by one of the release again, until so much has been served.
 *
 * `SLUICE_TEST_POSTGRES_URL=postgres://… bun bench/upgrade.ts [REQUESTS] [STREAMS] [PAUSE_MS]`, 10,000, 500 and 0 when left out. A
 * test runs it with few. Exit code 1 when a request failed, a stream did not end as it should, or a document was not completed.
 */
import { startNginx } from '#test/support/network/documented-nginx.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { Figures } from './cluster/figures.ts'
import { Fleet } from './cluster/fleet.ts'
import { installRelease, lastRelease } from './cluster/release.ts'
import { freePort, Workshop } from './processes.ts'

const [requests = 10_000, streams = 500, chatPauseMs = 0] = process.argv.slice(2).map(Number)
const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
if (serverUrl === undefined) throw new Error('SLUICE_TEST_POSTGRES_URL must name a PostgreSQL server.')
const revision = await lastRelease()
if (revision === null) throw new Error('This clone does not have the last release: fetch its history.')

const chatClients = 4
const streamClients = 4
const importPauseMs = 500
const settleMs = 60_000

await using opening = new AsyncDisposableStack()
const schema = await makePostgresSchema(serverUrl)
opening.defer(() => schema.drop())
const workshop = opening.use(new Workshop())
const ports = [freePort(), freePort(), freePort()]
const fleet = new Fleet(workshop, ports, {
  SLUICE_DATABASE_URL: schema.url,
  SLUICE_SECURITY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  SLUICE_DISCOVERY_ENABLED: 'false',
  SLUICE_SERVER_DRAIN_DELAY_SECONDS: '1',
  SLUICE_DOCUMENTS_READER_PROCESSES: '1',
})
fleet.release = await installRelease(revision, workshop.folder)
await fleet.start(0, 'release')
const [key = ''] = /sk-slu-\w+/.exec(fleet.output(0)) ?? []
await Promise.all([fleet.start(1, 'release'), fleet.start(2, 'release')])
const nginx = opening.use(await startNginx(ports))

const figures = new Figures()
let isOver = false
const clients = [
  ...Array.from({ length: chatClients }, () => repeat(chatOnce, chatPauseMs)),
  ...Array.from({ length: streamClients }, () => repeat(streamOnce)),
  repeat(importOnce, importPauseMs),
]
let rounds = 0
let badEnds = 0
do {
  badEnds += await fleet.roll('this')
  badEnds += await fleet.roll('release')
  rounds += 1
} while (figures.of('requests answered') < requests || figures.of('streams complete') < streams)
isOver = true
await Promise.all(clients)
report(await unfinished())

async function repeat(once: () => Promise<void>, pauseMs = 0): Promise<void> {
  while (!isOver) {
    await once().catch((thrown: unknown) => figures.count('FAILED', String(thrown)))
    if (pauseMs > 0) await Bun.sleep(pauseMs)
  }
}

function ask(path: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${nginx.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  })
}

async function chatOnce(): Promise<void> {
  const messages = [{ role: 'user', content: 'Hi' }]
  const answer = await ask('/ai/v1/chat/completions', { model: 'demo-chat', messages, max_tokens: 1 })
  const text = await answer.text()
  if (answer.status === 200) figures.count('requests answered')
  else figures.count('FAILED', `chat: ${answer.status} ${text}`)
}

/** Long enough that each replacement finds streams under way; two seconds when many are asked for. */
async function streamOnce(): Promise<void> {
  const messages = [{ role: 'user', content: chatPauseMs > 0 ? '/pace 20 /long 12' : '/pace 20 /long 40' }]
  const answer = await ask('/ai/v1/chat/completions', { model: 'demo-chat', messages, stream: true })
  const text = await answer.text()
  if (answer.status === 200 && text.trimEnd().endsWith('data: [DONE]')) figures.count('streams complete')
  else figures.count('FAILED', `stream: ${answer.status} ${text.slice(-300)}`)
}

async function importOnce(): Promise<void> {
  const files = [{ name: 'note.txt', category: 'bench', encoding: 'utf-8', bytes: `Note ${crypto.randomUUID()}.` }]
  const answer = await ask('/api/v1/documents', { files })
  const text = await answer.text()
  if (answer.status === 202) figures.count('documents imported')
  else figures.count('FAILED', `import: ${answer.status} ${text}`)
}

/** Documents that are not completed when there was time for it. */
async function unfinished(): Promise<number> {
  for (const until = performance.now() + settleMs; ; await Bun.sleep(500)) {
    const [row] = await schema.run(`select count(*)::int as left from documents where state <> 'completed'`)
    const left = Number(row?.['left'])
    if (left === 0 || performance.now() > until) return left
  }
}

function report(left: number): void {
  const rows = [
    ...figures.lines(),
    `| release | ${revision} |`,
    `| rounds there and back | ${rounds} |`,
    `| documents not completed | ${left} |`,
    `| processes that ended badly | ${badEnds} |`,
  ]
  console.log(['| figure | |', '|---|---|', ...rows].join('\n'))
  if (figures.of('FAILED') + left + badEnds > 0) process.exitCode = 1
}
