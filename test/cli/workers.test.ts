/** `server.workers`: several processes on one port, seen and stopped as one server. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const missing =
  serverUrl === undefined ? 'SLUICE_TEST_POSTGRES_URL is not set' : process.platform !== 'linux' && 'this is not Linux'
const reason = missing === false ? '' : ` (skipped: ${missing})`

interface Served extends AsyncDisposable {
  readonly sluice: Installation
  readonly server: RunningServer
  readonly key: string
}

async function startWorkers(count: number, settings: Readonly<Record<string, string>> = {}): Promise<Served> {
  await using opened = new AsyncDisposableStack()
  const schema = await makePostgresSchema(String(serverUrl))
  opened.defer(() => schema.drop())
  const environment = { SLUICE_DATABASE_URL: schema.url, SLUICE_SERVER_WORKERS: String(count), ...settings }
  const sluice = opened.use(new Installation(environment))
  const server = await sluice.start(['--json'])
  opened.defer(async () => {
    const { exitCode, signalCode } = server.child
    const workers = exitCode === null && signalCode === null ? pidsOf(server) : []
    await server.kill()
    for (const worker of workers) if (isRunning(worker)) process.kill(worker, 'SIGKILL')
    await until(() => !workers.some(isRunning))
  })
  const key = server.started.first_start!.api_key
  const held = opened.move()
  return { sluice, server, key, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** One connection for each request, so that the system chooses a worker anew. */
async function ask({ server, key }: Served, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${server.address}${path}`, {
    method,
    keepalive: false,
    headers: { authorization: `Bearer ${key}`, connection: 'close' },
  })
}

/** The samples of a metric by the number of the worker. */
async function byWorker(served: Served, name: string): Promise<Map<string, number>> {
  const text = await (await ask(served, '/metrics')).text()
  const found = text.matchAll(new RegExp(String.raw`^${name}\{worker="(\d+)"[^}]*\} (\S+)$`, 'gm'))
  const sums = new Map<string, number>()
  for (const [, worker = '', value] of found) sums.set(worker, (sums.get(worker) ?? 0) + Number(value))
  return sums
}

async function allUp(served: Served, count: number): Promise<void> {
  await until(async () => {
    const up = await byWorker(served, 'sluice_worker_up')
    return up.size === count && [...up.values()].every((value) => value === 1)
  })
}

/** The ids of the processes of the workers. */
function pids({ server }: Served): number[] {
  return pidsOf(server)
}

function pidsOf({ child: { pid } }: RunningServer): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number)
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended and was not waited for yet is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

describe.skipIf(missing !== false)(`workers${reason}`, () => {
  test.each([2, 4])('%i share the port, and one scrape has the metrics of all', async (count) => {
    await using served = await startWorkers(count)
    await allUp(served, count)
    expect(pids(served)).toHaveLength(count)
    let asked = 0
    await until(async () => {
      expect((await ask(served, '/ai/v1/models/demo-chat')).status).toBe(200)
      await ask(served, '/ai/v1/embeddings', 'POST')
      asked += 1
      return [...(await byWorker(served, 'sluice_requests_total')).values()].filter((each) => each > 0).length === count
    })
    const counted = await byWorker(served, 'sluice_requests_total')
    expect([...counted.values()].reduce((sum, each) => sum + each, 0)).toBe(asked)
    const text = await (await ask(served, '/metrics')).text()
    const heads = text.split('\n').filter((line) => line.startsWith('# TYPE'))
    expect(new Set(heads).size).toBe(heads.length)
    expect(
      text.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !/^\w+\{worker="\d+"[,}]/.test(line)),
    ).toEqual([])
  })

  test('a deleted key is refused by all of them at once', async () => {
    await using served = await startWorkers(3)
    const { sluice } = served
    const made = await sluice.json<{ id: string; secret: string }>(['keys', 'create', 'k', '--user', 'admin@localhost'])
    const statuses = async (): Promise<Set<number>> => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => ask({ ...served, key: made.secret }, '/ai/v1/models')),
      )
      return new Set(answers.map(({ status }) => status))
    }
    expect(await statuses()).toEqual(new Set([200]))
    await sluice.json(['keys', 'delete', made.id])
    expect(await statuses()).toEqual(new Set([401]))
  })

  test('one that is killed is replaced, again and again, and others keep serving', async () => {
    await using served = await startWorkers(2)
    await allUp(served, 2)
    for (let round = 0; round < 3; round += 1) {
      const before = pids(served)
      const victim = before[round % 2]!
      process.kill(victim, 'SIGKILL')
      await until(() => !pids(served).includes(victim) && pids(served).length === 2)
      await allUp(served, 2)
      expect((await ask(served, '/ai/v1/models')).status).toBe(200)
    }
    const { code, lines } = await served.server.stop()
    expect(code).toBe(0)
    expect(lines.filter((line) => line.includes('a worker has ended and is started again'))).toHaveLength(3)
  })

  test('one that hangs is replaced, and others keep serving', async () => {
    await using served = await startWorkers(2, { SLUICE_SERVER_WORKER_HANG_SECONDS: '2' })
    await allUp(served, 2)
    const [steady, hanging] = pids(served)
    process.kill(hanging!, 'SIGSTOP')
    await until(() => !pids(served).includes(hanging!) && pids(served).length === 2)
    await allUp(served, 2)
    expect(pids(served)).toContain(steady!)
    expect((await ask(served, '/ai/v1/models')).status).toBe(200)
    const { lines } = await served.server.stop()
    expect(lines).toContainEqual(expect.stringContaining('a worker hangs and is ended'))
  })

  test.each([20, 200])('one that stands still is missing from %i scrapes, which do not wait for it', async (count) => {
    await using served = await startWorkers(3)
    await allUp(served, 3)
    const frozen = pids(served)[2]!
    process.kill(frozen, 'SIGSTOP')
    try {
      // The system gives some connections to the one that stands still; those of the others are answered.
      const scrapes = Array.from({ length: count }, () => byWorker(served, 'sluice_worker_up'))
      const first = await Promise.any(scrapes)
      expect([first.get('0'), first.get('1'), first.get('2')]).toEqual([1, 1, 0])
      process.kill(frozen, 'SIGCONT')
      // Those that it has got are answered now, and by all: what waited for it is not lost.
      expect((await Promise.all(scrapes)).map((up) => up.size)).toEqual(scrapes.map(() => 3))
    } finally {
      process.kill(frozen, 'SIGCONT')
    }
    await allUp(served, 3)
  })

  test('a stop lets the streams of all of them end, and the exit code is 0', async () => {
    await using served = await startWorkers(3)
    await allUp(served, 3)
    const streams = await Promise.all(
      Array.from({ length: 12 }, () => served.server.chat(served.key, '/pace 25 /long 60')),
    )
    const texts = streams.map(async (stream) => (await stream.text()).trimEnd().slice(-12))
    const workers = pids(served)
    const { code } = await served.server.stop()
    expect([code, ...(await Promise.all(texts))]).toEqual([0, ...streams.map(() => 'data: [DONE]')])
    expect(workers.filter(isRunning)).toEqual([])
  })

  test('a second signal ends all of them at once', async () => {
    await using served = await startWorkers(3)
    await allUp(served, 3)
    const stream = await served.server.chat(served.key, '/pace 10000')
    const workers = pids(served)
    served.server.child.kill('SIGTERM')
    // Those with nothing under way end at once, and what has just connected to them with them.
    const ready = () => fetch(`${served.server.address}/readyz`, { keepalive: false }).catch(() => null)
    await until(async () => (await ready())?.status === 503)
    served.server.child.kill('SIGTERM')
    expect((await served.server.finished()).code).toBe(1)
    await until(() => !workers.some(isRunning))
    await stream.text().catch(() => '')
  })

  test('they end when the process that started them is killed', async () => {
    await using served = await startWorkers(3)
    await allUp(served, 3)
    const workers = pids(served)
    await served.server.kill()
    await until(() => !workers.some(isRunning))
  })

  test('none is started on a port that another program has', async () => {
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const schema = await makePostgresSchema(String(serverUrl))
    await using _dropped = { [Symbol.asyncDispose]: () => schema.drop() }
    await using sluice = new Installation({ SLUICE_DATABASE_URL: schema.url, SLUICE_SERVER_WORKERS: 'auto' })
    const { code, lines } = await sluice.run(['start', '--port', String(taken.port)])
    expect({ code, lines }).toEqual({ code: 2, lines: [expect.stringContaining('is in use')] })
  })

  test('what is wrong with the database is told once', async () => {
    const environment = { SLUICE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SLUICE_SERVER_WORKERS: '3' }
    await using sluice = new Installation({ ...environment, SLUICE_DATABASE_START_WAIT_SECONDS: '0' })
    const { code, stdout, lines } = await sluice.run(['start'])
    expect({ code, stdout, lines }).toEqual({ code: 2, stdout: '', lines: [expect.stringMatching(/cannot be used/)] })
  })
})

test.each(['2', 'auto'])('%s workers are refused on SQLite, with the reason', async (workers) => {
  await using sluice = new Installation({ SLUICE_SERVER_WORKERS: workers })
  const { code, lines } = await sluice.run(['start'])
  expect({ code, lines }).toEqual({
    code: 2,
    lines: [
      expect.stringMatching(process.platform === 'linux' ? /server\.workers.*PostgreSQL/ : /server\.workers.*Linux/),
    ],
  })
})
