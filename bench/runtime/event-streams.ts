/**
 * Which way of streaming an answer does this runtime do cheapest? One event every 10 ms on each of 100 connections is
 * passed on at once, unread; CPU of the passing process for each event. `bun bench/runtime/event-streams.ts [rounds]`.
 */
import { cpuMicroseconds, median } from '../measure.ts'

const streams = 100
const seconds = 3
const event = Buffer.from(`data: {"id":"chatcmpl-bench","choices":[{"index":0,"delta":{"content":" word"}}]}\n\n`)

/** Gives each piece that comes from the source to `receive`. */
interface Source {
  receive: (bytes: Uint8Array) => void
}

const bodies: Readonly<Record<string, (source: Source) => ReadableStream<Uint8Array> | AsyncGenerator<Uint8Array>>> = {
  'a stream that is pulled, a promise each': (source) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    let resolve: (bytes: Uint8Array) => void = () => {}
    source.receive = (bytes) => resolve(bytes)
    return new ReadableStream<Uint8Array>(
      {
        start: (given) => void (controller = given),
        pull: () => new Promise<Uint8Array>((settle) => (resolve = settle)).then((bytes) => controller.enqueue(bytes)),
      },
      { highWaterMark: 0 },
    )
  },
  'a stream that is pulled, no promise': (source) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    source.receive = (bytes) => controller.enqueue(bytes)
    return new ReadableStream<Uint8Array>(
      { start: (given) => void (controller = given), pull: () => {} },
      { highWaterMark: 0 },
    )
  },
  'a stream that is pushed': (source) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    source.receive = (bytes) => controller.enqueue(bytes)
    return new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
  },
  'a direct stream, flushed each time': (source) =>
    direct((sink) => {
      source.receive = (bytes) => {
        void sink.write(bytes)
        void sink.flush()
      }
    }),
  'a direct stream, flushed by itself': (source) =>
    direct((sink) => {
      source.receive = (bytes) => void sink.write(bytes)
    }),
  'an asynchronous generator': async function* (source) {
    let resolve: (bytes: Uint8Array) => void = () => {}
    source.receive = (bytes) => resolve(bytes)
    for (;;) yield await new Promise<Uint8Array>((settle) => (resolve = settle))
  },
}

/** A direct stream that goes on until its connection ends. */
function direct(open: Bun.DirectUnderlyingSource<Uint8Array>['pull']): ReadableStream<Uint8Array> {
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    pull(sink) {
      void open(sink)
      return new Promise(() => {})
    },
  }
  return new ReadableStream(source)
}

function serveSource(): void {
  const listener = Bun.listen<{ timer: Timer | null }>({
    hostname: '127.0.0.1',
    port: 0,
    data: { timer: null },
    socket: {
      open: (socket) => {
        const timer = setInterval(() => socket.write(event), 10)
        socket.data = { timer }
      },
      data: () => {},
      close: ({ data: { timer } }) => void (timer && clearInterval(timer)),
    },
  })
  console.log(JSON.stringify({ port: listener.port }))
}

function servePassing(name: string, sourcePort: number): void {
  const body = bodies[name]
  if (body === undefined) throw new Error(name)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch() {
      const source: Source = { receive: () => {} }
      void Bun.connect<Source>({
        hostname: '127.0.0.1',
        port: sourcePort,
        data: source,
        socket: { binaryType: 'buffer', data: ({ data }, bytes) => data.receive(bytes) },
      })
      return new Response(body(source) as ReadableStream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  console.log(JSON.stringify({ port: server.port }))
}

interface Started {
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  readonly port: number
}

async function start(...words: string[]): Promise<Started> {
  const child = Bun.spawn([process.execPath, import.meta.path, ...words], { stdout: 'pipe', stdin: 'ignore' })
  const { value } = await child.stdout.getReader().read()
  return { process: child, port: (JSON.parse(new TextDecoder().decode(value)) as { port: number }).port }
}

/** CPU of the passing process for each event, in microseconds. */
async function costOf(name: string, sourcePort: number): Promise<number> {
  const { process: passing, port } = await start('pass', name, String(sourcePort))
  let events = 0
  const connect = () =>
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => void socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'),
        data: (_socket, bytes) => {
          for (let at = bytes.indexOf('data:'); at >= 0; at = bytes.indexOf('data:', at + 5)) events += 1
        },
      },
    })
  const sockets = await Promise.all(Array.from({ length: streams }, connect))
  await Bun.sleep(1500)
  const [cpuBefore, eventsBefore] = [cpuMicroseconds(passing.pid), events]
  await Bun.sleep(seconds * 1000)
  const cost = (cpuMicroseconds(passing.pid) - cpuBefore) / (events - eventsBefore)
  for (const socket of sockets) socket.terminate()
  passing.kill()
  return cost
}

const [role, ...words] = process.argv.slice(2)
if (role === 'source') serveSource()
else if (role === 'pass') servePassing(words[0] ?? '', Number(words[1]))
else {
  const source = await start('source')
  const costs = new Map<string, number[]>()
  for (let round = 0; round < Number(role ?? 3); round += 1)
    for (const name of Object.keys(bodies))
      costs.set(name, [...(costs.get(name) ?? []), await costOf(name, source.port)])
  for (const [name, figures] of costs) console.log(`${name.padEnd(42)} ${median(figures).toFixed(1)} µs/event`)
  source.process.kill()
}
