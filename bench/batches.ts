/**
 * How fast does a batch run, and what does the server need for it? Embeddings of short texts at an upstream that takes
 * 20 ms a call and works on 64 at once, so that it can do 3200 lines a second when each is a call of its own.
 *
 * Run by hand: `bun bench/batches.ts [lines] [bytes]`, with lines of so many bytes at least. With `crash [lines] [kills] [seed]` the server is killed at random
 * moments, and the results are compared with those of an undisturbed batch; exit code 1 when anything differs.
 * With `processes [lines]` one and then three processes on the PostgreSQL of `SLUICE_TEST_POSTGRES_URL` run the same batch.
 * A call takes half a second there, so that neither the machine nor the model is the limit, but how many a process sends.
 */
import { isDeepStrictEqual } from 'node:util'
import { runBatch } from '#test/support/batches/batch-chaos.ts'
import { startConfigured, writeConfigurationOf } from './gateway.ts'
import { Workshop } from './processes.ts'

interface BatchOnWire {
  readonly id: string
  readonly status: string
  readonly created_at: number
  readonly in_progress_at: number | null
  readonly output_file_id: string | null
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number }
}

const [question, ...rest] = process.argv.slice(2)
if (question === 'crash') await crash(rest.map(Number))
else if (question === 'processes') await share(rest.map(Number))
else await speed(Number(question ?? '50000'), rest.map(Number))

async function speed(lines: number, [lineBytes = 0]: readonly number[]): Promise<void> {
  await using workshop = new Workshop()
  const upstream = await workshop.startServer('embedding-upstream.ts', '64')
  const embedder = { name: 'embedder', kind: 'openai', base_url: `http://127.0.0.1:${upstream.port}/v1` }
  const file = writeConfigurationOf(workshop, 'batches', {
    providers: [{ ...embedder, models: [{ name: 'bench-embed', groups: ['everyone'] }] }],
  })
  const gateway = await startConfigured(workshop, file)
  const call = async <T>(method: string, path: string, body?: Bun.BodyInit): Promise<T> => {
    const headers = { authorization: `Bearer ${gateway.key}` }
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const url = `http://127.0.0.1:${gateway.port}/ai/v1${path}`
    const response = await fetch(url, { method, headers: { ...headers, ...type }, ...(body && { body }) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  // What the server needs at work anyway: a small batch goes ahead.
  await batchOf(call, { lines: 500, lineBytes })
  const before = await residentBytes(gateway.pid)
  const cpuBefore = await cpuSeconds(gateway.pid)
  const { ms, most } = await batchOf(call, { lines, lineBytes }, () => residentBytes(gateway.pid))
  const cpu = (await cpuSeconds(gateway.pid)) - cpuBefore
  console.log(`${lines} lines in ${(ms / 1000).toFixed(1)} s: ${((lines / ms) * 1000).toFixed(0)} lines/s`)
  console.log(`CPU of the server: ${((cpu / lines) * 1e6).toFixed(0)} µs a line`)
  const inEach = [...most].map(([status, bytes]) => `${mebibytes(bytes)} MiB ${status}`)
  console.log(`memory: ${mebibytes(before)} MiB before, at most ${inEach.join(', ')}`)
}

/** How long a batch takes, uploading not included, and the most of what is sampled in each of its states. */
async function batchOf(
  call: <T>(method: string, path: string, body?: Bun.BodyInit) => Promise<T>,
  { lines, lineBytes }: { readonly lines: number; readonly lineBytes: number },
  sample: () => Promise<number> = () => Promise.resolve(0),
): Promise<{ readonly ms: number; readonly most: ReadonlyMap<string, number> }> {
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([inputOf(lines, lineBytes)]), 'input.jsonl')
  const { id: fileId } = await call<{ id: string }>('POST', '/files', form)
  const startedAt = performance.now()
  const asked = { input_file_id: fileId, endpoint: '/v1/embeddings', completion_window: '24h' }
  let batch = await call<BatchOnWire>('POST', '/batches', JSON.stringify(asked))
  const most = new Map<string, number>()
  while (batch.status !== 'completed') {
    await Bun.sleep(100)
    most.set(batch.status, Math.max(most.get(batch.status) ?? 0, await sample()))
    batch = await call<BatchOnWire>('GET', `/batches/${batch.id}`)
    if (batch.status === 'failed') throw new Error(JSON.stringify(batch))
  }
  if (batch.request_counts.completed !== lines) throw new Error(JSON.stringify(batch.request_counts))
  return { ms: performance.now() - startedAt, most }
}

function inputOf(lines: number, lineBytes: number): string {
  const body = (at: number): object => ({
    model: 'bench-embed',
    input: `Why is the sky blue, ${at}?`.padEnd(lineBytes, '?'),
  })
  return Array.from({ length: lines }, (_, at) =>
    JSON.stringify({ custom_id: `line-${at}`, method: 'POST', url: '/v1/embeddings', body: body(at) }),
  ).join('\n')
}

async function residentBytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await Bun.file(`/proc/${pid}/stat`).text()).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0)
}

async function share([lines = 8000]: readonly number[]): Promise<void> {
  const url = process.env['SLUICE_TEST_POSTGRES_URL']
  if (url === undefined) throw new Error('SLUICE_TEST_POSTGRES_URL must name a PostgreSQL server.')
  const plan = { lines, kills: 0, seed: 1, lifeMsMax: 0, callMs: 500 }
  const seconds: number[] = []
  for (const processes of [1, 3]) {
    const { tookMs, linesWritten, asked } = await runBatch({ ...plan, postgres: { url, processes } })
    seconds.push(tookMs / 1000)
    console.log(
      `${processes} processes: ${((linesWritten / tookMs) * 1000).toFixed(0)} lines/s, ${asked} asked of the model`,
    )
  }
  const [one = 0, three = 0] = seconds
  console.log(`three are ${(one / three).toFixed(2)} times as fast as one`)
}

async function crash([lines = 20_000, kills = 100, seed = 1]: readonly number[]): Promise<void> {
  // Long enough for as many lines at once as the model bears: the kills are spread over the whole batch.
  const plan = { lines, seed, lifeMsMax: 4000, callMs: 300 }
  const undisturbed = await runBatch({ ...plan, kills: 0 })
  const onKill = (kill: number, done: number): void => console.error(`kill ${kill} of ${kills}: ${done} lines are done`)
  const killed = await runBatch({ ...plan, kills, onKill })
  const different = [...undisturbed.results].filter(
    ([id, result]) => !isDeepStrictEqual(result, killed.results.get(id)),
  )
  console.log(`different from the undisturbed batch: ${different.length} of ${undisturbed.results.size}`)
  console.log(`lines written: ${killed.linesWritten}; asked of the model: ${killed.asked}`)
  console.log(`kills while the batch ran: ${killed.killsUnderWay}`)
  process.exitCode = different.length > 0 || killed.linesWritten !== lines ? 1 : 0
}
