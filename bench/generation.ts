/** What do many prompts about one image cost? Memory, CPU for each token, time to the first token, and how fast a client that leaves is let go. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKey, startFrom, type RunningGateway } from './gateway.ts'
import type { GenerationUpstreamStats } from './generation-upstream.ts'
import { cpuMicroseconds, median, percentile, residentMib } from './measure.ts'
import { Workshop } from './processes.ts'
import { figure, type Table } from './table.ts'

const user = 'bench@localhost'
const shapes = ['quick', 'paced', 'hang'] as const
const imageBytes = 1024 * 1024

/** A PNG of this many bytes; the bytes after its last chunk do not matter here. */
function image(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(imageBytes)
  crypto.getRandomValues(bytes.subarray(0, 65_536))
  const head = '89504e470d0a1a0a0000000d494844520000040000000400080200000000000000'
  bytes.set(Buffer.from(head, 'hex'))
  bytes.set(Buffer.from('0000000049454e44ae426082', 'hex'), 33)
  return bytes
}

async function startGateway(workshop: Workshop, upstreamPort: number): Promise<RunningGateway> {
  const file = join(workshop.folder, 'generation.json')
  const configuration = {
    data_dir: join(workshop.folder, 'data'),
    discovery: { enabled: false },
    generation: { request_concurrency: 64, model_concurrency: 1000 },
    users: [{ email: user, name: 'Bench', role: 'user' }],
    providers: shapes.map((shape) => ({
      name: shape,
      base_url: `http://127.0.0.1:${upstreamPort}/${shape}/v1`,
      options: { flavour: 'sglang' },
      models: [{ name: shape, groups: ['everyone'] }],
    })),
  }
  writeFileSync(file, JSON.stringify(configuration))
  const { child, port } = await startFrom(workshop, file)
  return { child, pid: child.pid, port, key: await createKey(file) }
}

interface Ask {
  readonly gateway: RunningGateway
  readonly group: (typeof shapes)[number]
  readonly prompts: number
  readonly withImage: boolean
  readonly signal?: AbortSignal
}

function ask({ gateway, group, prompts, withImage, signal }: Ask): Promise<Response> {
  const text = Array.from({ length: prompts }, (_, index) => `What is in part ${index} of this picture?`)
  const payload = JSON.stringify({ text, consumer_group: group })
  const form = new FormData()
  form.append('image_data', new Blob([image()]), 'bench.png')
  form.append('json_data', new Blob([payload], { type: 'application/json' }))
  return fetch(`http://127.0.0.1:${gateway.port}/${withImage ? 'image_generate_stream' : 'generate_stream'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, ...(!withImage && { 'content-type': 'application/json' }) },
    body: withImage ? form : payload,
    ...(signal && { signal }),
  })
}

async function countEvents(response: Response): Promise<number> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  let events = 0
  for await (const bytes of response.body ?? []) {
    const text = Buffer.from(bytes)
    for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n', at + 2)) events += 1
  }
  return events
}

async function memory(gateway: RunningGateway): Promise<number> {
  const before = residentMib(gateway.pid)
  let highest = before
  const sampling = setInterval(() => (highest = Math.max(highest, residentMib(gateway.pid))), 50)
  const events = await countEvents(await ask({ gateway, group: 'quick', prompts: 1000, withImage: true }))
  clearInterval(sampling)
  if (events !== 20_000) throw new Error(`${events} of 20,000 tokens came`)
  return highest - before
}

async function cpuPerToken(gateway: RunningGateway): Promise<number> {
  const round = () => ask({ gateway, group: 'paced', prompts: 512, withImage: false }).then(countEvents)
  await round()
  const before = cpuMicroseconds(gateway.pid)
  const events = await round()
  return (cpuMicroseconds(gateway.pid) - before) / events
}

/** Alternately through the gateway and directly, so that a noisy machine disturbs both. */
async function firstTokenMs(gateway: RunningGateway, upstreamPort: number): Promise<readonly [number, number]> {
  const through: number[] = []
  const direct: number[] = []
  for (let round = 0; round < 220; round += 1) {
    const throughMs = await timeToFirst(() => ask({ gateway, group: 'quick', prompts: 1, withImage: false }))
    const directMs = await timeToFirst(() =>
      fetch(`http://127.0.0.1:${upstreamPort}/quick/v1/chat/completions`, { method: 'POST', body: '{}' }),
    )
    if (round < 20) continue
    through.push(throughMs)
    direct.push(directMs)
  }
  return [median(through) - median(direct), percentile(through, 0.99) - percentile(direct, 0.99)]
}

async function timeToFirst(send: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now()
  const response = await send()
  const reader = response.body?.getReader()
  await reader?.read()
  const elapsed = performance.now() - startedAt
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read());
  return elapsed
}

async function abortMs(gateway: RunningGateway, upstreamPort: number): Promise<number> {
  const stats = async () =>
    (await (await fetch(`http://127.0.0.1:${upstreamPort}/stats`)).json()) as GenerationUpstreamStats
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const client = new AbortController()
    const response = await ask({ gateway, group: 'hang', prompts: 200, withImage: true, signal: client.signal })
    const reading = countEvents(response).catch(() => 0)
    while ((await stats()).open < 64) await Bun.sleep(5)
    const leftAt = performance.timeOrigin + performance.now()
    client.abort()
    await reading
    while ((await stats()).open > 0) await Bun.sleep(5)
    times.push((await stats()).lastAbortAt - leftAt)
  }
  return Math.max(...times)
}

export async function measureGeneration(): Promise<Table> {
  await using workshop = new Workshop()
  const upstream = await workshop.startServer('generation-upstream.ts')
  const gateway = await startGateway(workshop, upstream.port)
  const [addedP50, addedP99] = await firstTokenMs(gateway, upstream.port)
  const figures = {
    addedP50,
    addedP99,
    cpu: await cpuPerToken(gateway),
    // Before any other request with an image, so that all that images cost is counted.
    memory: await memory(gateway),
    abort: await abortMs(gateway, upstream.port),
  }
  return {
    title: 'Generation: many prompts about one image',
    method:
      'One client, an image of 1 MiB, 64 prompts at once with the provider. Memory: highest resident size during 1,000 prompts ' +
      'over that before them. CPU: 512 prompts of 100 tokens, one every 10 ms. Aborted: from the client leaving a batch of 200 ' +
      'to the last of 64 open calls seen closed by the provider, worst of 10.',
    columns: ['figure', 'measured', 'bar'],
    rows: [
      ['memory over the image, 1,000 prompts, MiB', figure(figures.memory, 0), 64],
      ['CPU for each relayed token, µs', figure(figures.cpu), 25],
      ['time to first token, added p50, ms', figure(figures.addedP50, 2), 2],
      ['time to first token, added p99, ms', figure(figures.addedP99, 2), '–'],
      ['all calls aborted after, ms', figure(figures.abort), 100],
    ],
    rounds: figures,
  }
}
