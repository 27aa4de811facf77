/**
 * What do several workers on one port cost? `bun bench/workers.ts POSTGRES_URL [WORKERS]`: whole JSON requests to one
 * process and to so many workers, in turn, each on a database of its own that is made and removed on that server.
 */
import { startConfigured, writeConfiguration } from './gateway.ts'
import { measureJson } from './json.ts'
import { residentMib } from './measure.ts'
import { Workshop } from './processes.ts'
import { requestBody, type ProfileName } from './profiles.ts'
import { markdown } from './table.ts'
import type { Target } from './targets.ts'

const [, , server, count = '2'] = process.argv
if (server === undefined) throw new Error('Name the URL of a PostgreSQL server.')

await using opened = new AsyncDisposableStack()
const workshop = new Workshop()
const sql = opened.use(new Bun.SQL(server, { max: 1 }))
const databases = new AsyncDisposableStack()
opened.use(databases)
// Removed after the processes that use them.
opened.use(workshop)
const upstream = await workshop.startServer('upstream.ts')
const targets = [await startWith(1), await startWith(Number(count))]
const [first] = targets
console.log(
  markdown(await measureJson(targets, { rounds: 7, seconds: 5 }, { folder: workshop.folder, reference: first!.name })),
)
for (const { name, pid } of targets) console.log(`${name}: ${residentMib(pid).toFixed(0)} MiB resident after it`)

async function startWith(workers: number): Promise<Target> {
  const database = `sluice_bench_${process.pid}_${workers}`
  await sql.unsafe(`CREATE DATABASE ${database}`)
  databases.defer(async () => void (await sql.unsafe(`DROP DATABASE ${database}`)))
  const url = new URL(server ?? '')
  url.pathname = `/${database}`
  const name = workers === 1 ? 'one process' : `${workers} workers`
  const file = writeConfiguration(workshop, upstream.port, {
    name,
    server: { workers },
    database: { url: url.href },
  })
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
