/**
 * What do ways of running on PostgreSQL cost? Whole JSON requests to one process of each way, in turn, each on a database of
 * its own that is made and removed on that server.
 *
 * `bun bench/on-postgres.ts POSTGRES_URL workers [COUNT]`: one process beside several workers on one port.
 * `bun bench/on-postgres.ts POSTGRES_URL limits VALKEY_URL`: an in-flight limit that is enforced in memory alone, or lent out
 * by PostgreSQL or by Valkey.
 */
import { startConfigured, writeConfiguration } from './gateway.ts'
import { measureJson } from './json.ts'
import { residentMib } from './measure.ts'
import { Workshop } from './processes.ts'
import { requestBody, type ProfileName } from './profiles.ts'
import { markdown } from './table.ts'
import type { Target } from './targets.ts'

const [, , server, question, detail = ''] = process.argv
if (server === undefined) throw new Error('Name the URL of a PostgreSQL server.')

/** More than the connections of the load, so that nothing is refused. */
const realtimeInflight = { enforce: true, default: 64 }
const limits = (shared: string, more = {}) => ({ limits: { realtime_inflight: realtimeInflight, shared, ...more } })

/** What differs in the configuration, by name; the first is what the others are compared with. */
const questions: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  workers: {
    'one process': { server: { workers: 1 } },
    [`${detail || 2} workers`]: { server: { workers: Number(detail || 2) } },
  },
  limits: {
    memory: limits('memory'),
    postgres: limits('postgres'),
    valkey: limits('valkey', { valkey_url: detail }),
  },
}
const ways = questions[question ?? '']
if (ways === undefined) throw new Error(`Name a question: ${Object.keys(questions).join(' or ')}.`)

await using opened = new AsyncDisposableStack()
const workshop = new Workshop()
const sql = opened.use(new Bun.SQL(server, { max: 1 }))
const databases = new AsyncDisposableStack()
opened.use(databases)
// Removed after the processes that use them.
opened.use(workshop)
const upstream = await workshop.startServer('upstream.ts')
const targets: Target[] = []
for (const [name, entries] of Object.entries(ways)) targets.push(await startWith(name, entries))
const [first] = targets
console.log(
  markdown(await measureJson(targets, { rounds: 7, seconds: 5 }, { folder: workshop.folder, reference: first!.name })),
)
for (const { name, pid } of targets) console.log(`${name}: ${residentMib(pid).toFixed(0)} MiB resident after it`)

async function startWith(name: string, entries: object): Promise<Target> {
  const database = `sluice_bench_${crypto.randomUUID().slice(0, 8)}`
  await sql.unsafe(`CREATE DATABASE ${database}`)
  databases.defer(async () => void (await sql.unsafe(`DROP DATABASE ${database}`)))
  const url = new URL(server ?? '')
  url.pathname = `/${database}`
  const file = writeConfiguration(workshop, upstream.port, { ...entries, name, database: { url: url.href } })
  const { pid, port, key } = await startConfigured(workshop, file)
  const headers = { authorization: `Bearer ${key}` }
  const destination = (profile: ProfileName) => ({
    port,
    path: '/ai/v1/chat/completions',
    headers,
    body: requestBody(profile),
  })
  return { name, pid, destination }
}
