/**
 * What single things that a handler does cost on this runtime's server: CPU for each request beyond that of a handler that
 * reads the body and answers. `bun bench/runtime/server-costs.ts [rounds]`. A process for each; all take turns.
 */
import { exactCpuMicroseconds } from '../measure.ts'

const connections = 32
const requestsPerRound = 4000
const warmUp = 15_000

const answer = Buffer.from(JSON.stringify({ id: 'chatcmpl-bench', choices: [{ index: 0, message: 'y'.repeat(400) }] }))
const fixed = { 'x-content-type-options': 'nosniff', 'content-type': 'application/json', 'x-provider': 'bench' }
const prepared = new Headers(fixed)
const asked = ['x-request-id', 'host', 'authorization', 'x-api-key', 'content-encoding', 'content-length', 'prefer']

type Handler = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

/** Keeps what is read from being left out by the compiler. */
let seen: unknown = null

/** Does something before it reads the body and answers. */
function after(use: (request: Request) => unknown): Handler {
  return async (request) => {
    seen = use(request)
    await request.arrayBuffer()
    return new Response(answer)
  }
}

function answering(respond: () => Response): Handler {
  return async (request) => {
    await request.arrayBuffer()
    return respond()
  }
}

const newId = (): string => `req_${Bun.randomUUIDv7().replaceAll('-', '')}`
const plain = after(() => null)

const handlers: Readonly<Record<string, Handler>> = {
  'nothing more': plain,
  'no body read': () => new Response(answer),
  'a literal route in place of fetch': plain,
  'three headers of the answer, an object': answering(() => new Response(answer, { headers: fixed })),
  'four, of which one differs': answering(() => new Response(answer, { headers: { ...fixed, 'x-id': newId() } })),
  'three, prepared': answering(() => new Response(answer, { headers: prepared })),
  'three prepared and one set': answering(() => {
    const response = new Response(answer, { headers: prepared })
    response.headers.set('x-id', newId())
    return response
  }),
  'seven headers looked up': after(({ headers }) => asked.map((name) => headers.get(name))),
  'all headers as an object': after(({ headers }) => headers.toJSON()),
  'the URL': after(({ url }) => url),
  'an id from a UUID': after(newId),
  'the idle timer set twice': async (request, server) => {
    server.timeout(request, 0)
    await request.arrayBuffer()
    server.timeout(request, 60)
    return new Response(answer)
  },
  'three asynchronous functions more': async (request) => {
    const first = async () => await request.arrayBuffer()
    const second = async () => await first()
    const third = async () => await second()
    await third()
    return new Response(answer)
  },
  'the body as JSON, from its bytes': async (request) => {
    seen = JSON.parse(Buffer.from(await request.arrayBuffer()).toString())
    return new Response(answer)
  },
}

interface Measured {
  readonly name: string
  readonly child: Bun.Subprocess
  readonly sockets: readonly Bun.Socket[]
  left: number
  waiting: number
  done: () => void
  readonly costs: number[]
}

function serve(name: string): void {
  const handler = handlers[name] ?? plain
  const routes: Record<string, Handler> = name.startsWith('a literal route') ? { '/v1/chat': handler } : {}
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, routes, fetch: handler })
  console.log(server.port)
}

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'd'.repeat(600) }], stream: false })
const request = `POST /v1/chat HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${'k'.repeat(60)}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

async function start(name: string): Promise<Measured> {
  const child = Bun.spawn([process.execPath, import.meta.path, 'serve', name], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  const measured: Measured = { name, child, sockets: [], left: 0, waiting: 0, done: () => {}, costs: [] }
  const data = (socket: Bun.Socket): void => {
    if (measured.left-- > 0) socket.write(request)
    else if (--measured.waiting === 0) measured.done()
  }
  const options = { hostname: '127.0.0.1', port: Number(new TextDecoder().decode(value)), socket: { data } }
  const sockets = await Promise.all(Array.from({ length: connections }, () => Bun.connect(options)))
  return Object.assign(measured, { sockets })
}

/** CPU of the server for each of so many requests, in microseconds. */
async function costOf(measured: Measured, requests: number): Promise<number> {
  const before = exactCpuMicroseconds(measured.child.pid)
  measured.left = requests - connections
  measured.waiting = connections
  await new Promise<void>((done) => {
    measured.done = done
    for (const socket of measured.sockets) socket.write(request)
  })
  return (exactCpuMicroseconds(measured.child.pid) - before) / requests
}

/** A quarter of the rounds took less: other work on the machine only ever adds. */
function lowerQuartile(costs: readonly number[]): number {
  return costs.toSorted((a, b) => a - b)[costs.length >> 2] ?? Number.NaN
}

const [role, name = ''] = process.argv.slice(2)
if (role === 'serve') serve(name)
else {
  const all: Measured[] = []
  for (const each of Object.keys(handlers)) all.push(await start(each))
  for (const each of all) await costOf(each, warmUp)
  for (let round = 0; round < Number(role ?? 10); round += 1)
    for (const each of all) each.costs.push(await costOf(each, requestsPerRound))
  const least = lowerQuartile(all[0]?.costs ?? [])
  for (const { name: what, costs } of all)
    console.log(`${what.padEnd(42)} ${(lowerQuartile(costs) - least).toFixed(2)} µs more than ${least.toFixed(1)}`)
  for (const { child } of all) child.kill()
  process.exit(seen === undefined ? 1 : 0)
}
