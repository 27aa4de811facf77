/**
 * What does an open realtime session cost? The gateway, the provider and the clients are processes of their own; memory is
 * that of the gateway alone. The first round costs most: later ones use again what the first has given back.
 *
 * Run by hand: `bun bench/realtime.ts [SESSIONS]`, 1000 when left out. Exit code 1 when a session costs more than 40 KB, or
 * when anything is left of them.
 */
import { createKey, startFrom, writeConfigurationOf } from './gateway.ts'
import { residentMib } from './measure.ts'
import { Workshop } from './processes.ts'
import { figure, markdown } from './table.ts'

const sessions = Number(process.argv[2] ?? 1000)
const bytesMax = 40_000
const restMs = 5000
const rounds = 4

interface Open {
  readonly count: number
}

await using workshop = new Workshop()
const upstream = await workshop.startServer('realtime-upstream.ts')
const options = { endpoints: ['realtime'] }
const base_url = `http://127.0.0.1:${upstream.port}/v1`
const models = [{ name: 'voice', groups: ['everyone'] }]
const file = writeConfigurationOf(workshop, 'sluice', {
  providers: [{ name: 'voice', kind: 'openai', base_url, options, models }],
})
const { child, port } = await startFrom(workshop, file)
const key = await createKey(file)

const rows: string[][] = []
let isGood = true
for (let round = 1; round <= rounds; round += 1) {
  await Bun.sleep(restMs)
  const before = residentMib(child.pid)
  const sockets = await openSessions()
  await Bun.sleep(restMs)
  const open = residentMib(child.pid)
  const bytesEach = ((open - before) * 1024 * 1024) / sessions
  for (const socket of sockets) socket.close()
  await Bun.sleep(restMs)
  const left = (await (await fetch(`http://127.0.0.1:${upstream.port}/`)).json()) as Open
  const held = await inflight()
  isGood &&= bytesEach <= bytesMax && left.count === 0 && held === 0
  const memory = [before, open, residentMib(child.pid)].map((mib) => figure(mib, 1))
  rows.push([String(round), ...memory, figure(bytesEach / 1000, 1), String(left.count), String(held)])
}
console.log(
  markdown({
    title: 'Realtime sessions',
    method: `${sessions} open sessions, each of which has sent and received one message. Resident memory of the gateway.`,
    columns: ['round', 'RSS before MiB', 'open', 'after', 'KB a session', 'sockets left', 'slots left'],
    rows,
    rounds: {},
  }),
)
if (!isGood) process.exitCode = 1

/** As many sessions as asked for, a few at a time, each after its first message has come back. */
async function openSessions(): Promise<readonly WebSocket[]> {
  const all: WebSocket[] = []
  while (all.length < sessions) {
    const next = Array.from({ length: Math.min(50, sessions - all.length) }, () => openSession())
    all.push(...(await Promise.all(next)))
  }
  return all
}

function openSession(): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ai/v1/realtime?model=voice`, { headers })
    socket.addEventListener('open', () => socket.send('{"type":"session.update","session":{}}'))
    socket.addEventListener('message', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error('a session was not opened')))
  })
}

async function inflight(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^sluice_inflight_requests\{model="voice"\} (\d+)/m.exec(text)?.[1] ?? 0)
}
