/**
 * Does anything stop several processes as one? Three real processes on PostgreSQL behind nginx serve chats, deletions of
 * keys and imports, while one trouble after the other happens at random: many slow readers, locked tables, an outage, a
 * killed process, a rolling restart, a rolling upgrade and back. The clocks of the processes are half a minute apart.
 *
 * Run by hand: `SLUICE_TEST_POSTGRES_URL=postgres://… bun bench/cluster.ts [MINUTES]`, 60 when left out.
 * Exit code 1 when an AI request failed, an answer was stale, a document failed, or something was left at the end.
 */
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { openDatabaseLine } from '#test/support/network/database-line.ts'
import { startNginx } from '#test/support/network/documented-nginx.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { aKey, aUser } from '#test/support/store/store-records.ts'
import { createKeySecret } from '#identity/api-key.ts'
import { chatOnce, deleteOnce, importOnce, read, type Clients } from './cluster/clients.ts'
import { Figures } from './cluster/figures.ts'
import { Fleet } from './cluster/fleet.ts'
import { troubles, type Scene } from './cluster/troubles.ts'
import { freePort, Workshop } from './processes.ts'

const minutes = Number(process.argv[2] ?? 60)
const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
if (serverUrl === undefined) throw new Error('SLUICE_TEST_POSTGRES_URL must name a PostgreSQL server.')

const chatClients = 8
const chatPauseMs = 100
const deleters = 4
const importPauseMs = 1000
const quietMs = 5000
const settleMs = 120_000
const warmMs = Math.min(5, minutes / 2) * 60_000

await using opening = new AsyncDisposableStack()
const line = opening.use(await openDatabaseLine(serverUrl))
const schema = await makePostgresSchema(serverUrl)
opening.defer(() => schema.drop())
const secretKey = new Uint8Array(32).fill(7)
const [admin, user] = [aUser({ role: 'admin' }), aUser()]
const store = await openStore({ url: schema.url, sealer: sealer(secretKey) })
for (const each of [admin, user]) await store.users.insert(each, null)
const [adminKey, userKey] = [await addKey(admin.id), await addKey(user.id)]
await store.close()

const workshop = opening.use(new Workshop())
const ports = [freePort(), freePort(), freePort()]
const fleet = new Fleet(workshop, ports, {
  SLUICE_DATABASE_URL: line.to(schema),
  SLUICE_SECURITY_SECRET_KEY: Buffer.from(secretKey).toString('base64'),
  SLUICE_DISCOVERY_ENABLED: 'false',
  SLUICE_SERVER_DRAIN_DELAY_SECONDS: '1',
  SLUICE_CLUSTER_OUTAGE_GRACE_SECONDS: '60',
  SLUICE_DOCUMENTS_READER_PROCESSES: '1',
})
for (let index = 0; index < fleet.size; index += 1) await fleet.start(index)
await addModel(fleet.url(0))
const nginx = opening.use(await startNginx(ports))

const figures = new Figures()
const clients: Clients = {
  balancer: `http://127.0.0.1:${nginx.port}`,
  adminKey,
  figures,
  running: () => fleet.running,
}
const startedAt = performance.now()
const endsAt = startedAt + minutes * 60_000
let warm: readonly number[] = []
await Promise.all([
  ...Array.from({ length: chatClients }, () => repeat(() => chatOnce(clients), chatPauseMs)),
  ...Array.from({ length: deleters }, () => repeat(() => deleteOnce(clients, user.id), 0)),
  repeat(() => importOnce(clients, crypto.randomUUID()), importPauseMs),
  troubled({ fleet, schema, line, userKey, figures }),
  Bun.sleep(warmMs).then(() => (warm = fleet.residentMb())),
])
await settled()
report(await leftOver())

async function addKey(userId: string): Promise<string> {
  const { secret, publicId, digest } = createKeySecret()
  await store.keys.insert(aKey(userId, { publicId, digest }))
  return secret
}

async function addModel(url: string): Promise<void> {
  const create = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/admin/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as { id: string }
  }
  const { id } = await create('/providers', { name: 'practice', kind: 'demo' })
  await create('/models', { name: 'demo-chat', provider_id: id, upstream_name: 'demo-chat' })
}

async function repeat(once: () => Promise<void>, pauseMs: number): Promise<void> {
  while (performance.now() < endsAt) {
    await once()
    await Bun.sleep(pauseMs)
  }
}

/** Each kind once in every round, in an order of its own. */
async function troubled(scene: Scene): Promise<void> {
  while (performance.now() < endsAt) {
    for (const [name, trouble] of Object.entries(troubles).toSorted(() => Math.random() - 0.5)) {
      if (performance.now() >= endsAt) return
      const begunAt = performance.now()
      await trouble(scene)
      figures.count(`trouble: ${name}`)
      console.log(
        `${seconds(begunAt - startedAt)} s: ${name}, ${seconds(performance.now() - begunAt)} s; ${figures.of('AI requests answered')} AI requests answered, ${figures.of('AI requests failed')} failed`,
      )
      await Bun.sleep(quietMs)
    }
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

async function documentsByState(): Promise<ReadonlyMap<string, number>> {
  const rows = await schema.run(
    `select concat_ws(': ', state, error) as state, count(*)::int as documents from documents group by 1`,
  )
  return new Map(rows.map((row) => [String(row['state']), Number(row['documents'])]))
}

/** Until the documents have ended, or for two minutes. */
async function settled(): Promise<void> {
  for (const until = performance.now() + settleMs; performance.now() < until; await Bun.sleep(1000)) {
    const states = [...(await documentsByState()).keys()]
    if (states.every((state) => state === 'completed' || state.startsWith('failed'))) return
  }
}

interface LeftOver {
  readonly inFlight: number
  readonly queued: number
  readonly residentMb: readonly number[]
  readonly documents: ReadonlyMap<string, number>
}

async function leftOver(): Promise<LeftOver> {
  const { data } = await read<{ data: { in_use: number }[] }>(`${fleet.url(0)}/admin/api/v1/inflight`, adminKey)
  const metrics = await Promise.all(fleet.running.map(async (url) => (await fetch(`${url}/metrics`)).text()))
  return {
    inFlight: data.reduce((sum, { in_use: inUse }) => sum + inUse, 0),
    queued: metrics.reduce((sum, text) => sum + Number(/^sluice_usage_queue_depth (\S+)$/m.exec(text)?.[1]), 0),
    residentMb: fleet.residentMb(),
    documents: await documentsByState(),
  }
}

function report({ inFlight, queued, residentMb, documents }: LeftOver): void {
  const growth = Math.max(...residentMb) / Math.max(...warm)
  const rows = [
    ...figures.lines(),
    `| documents by state | ${[...documents].map(([state, count]) => `${state} ${count}`).join(', ')} |`,
    `| resident MB after ${seconds(warmMs)} s, at the end | ${warm.join(', ')}; ${residentMb.join(', ')} (${growth.toFixed(2)} ×) |`,
    `| in flight, usage records queued at the end | ${inFlight}, ${queued} |`,
  ]
  console.log(['| figure | |', '|---|---|', ...rows].join('\n'))
  const failed = figures.of('AI requests failed') + figures.of('STALE answers after a deletion')
  const unfinished = [...documents].reduce((sum, [state, count]) => sum + (state === 'completed' ? 0 : count), 0)
  process.exitCode = failed + unfinished + inFlight + queued > 0 ? 1 : 0
}
