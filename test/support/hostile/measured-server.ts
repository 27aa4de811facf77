/**
 * The real server as a process of its own whose main thread is watched (loop-probe.ts), and another
 * client beside it that streams chats and asks for its health all the time.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Installation, type RunningServer } from '../../cli/sluice.ts'
import { until } from '../until.ts'
import type { ProbeReport } from './loop-probe.ts'

/** A request as it goes over the wire: whatever its bytes are, nothing checks or mends them. */
export interface HostileRequest {
  readonly method: string
  /** With the query; percent-encoded already. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** What the server did on account of some work. */
export interface Measured {
  readonly longestMs: number
  /** How much more memory was resident at the most than before, bytes. */
  readonly grownBytes: number
  /** Statuses of what was asked; 0 where the connection was closed without an answer. */
  readonly statuses: readonly number[]
}

export class MeasuredServer implements AsyncDisposable {
  /** The longest that a linear scan of one mebibyte has taken on the server's main thread, milliseconds: the machine can become busier. */
  scanMs = 0
  readonly server: RunningServer
  /** May do everything, so that no request is refused before it is read. */
  readonly key: string
  readonly #installation: Installation
  readonly #file: string
  #report = 0

  private constructor(installation: Installation, server: RunningServer, key: string, file: string) {
    this.#installation = installation
    this.server = server
    this.#file = file
    this.key = key
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<MeasuredServer> {
    const probe = join(import.meta.dir, 'loop-probe.ts')
    const installation = new Installation({ ...environment, BUN_OPTIONS: `--preload=${probe}` })
    const file = join(installation.directory, 'probe.json')
    installation.environment['LOOP_PROBE_FILE'] = file
    const server = await installation.start(['--json'])
    const owner = server.started.first_start?.email ?? ''
    const { secret } = await installation.json<{ readonly secret: string }>([
      'keys',
      'create',
      'hostile',
      '--user',
      owner,
      '--admin',
    ])
    const measured = new MeasuredServer(installation, server, secret, file)
    await measured.#read()
    return measured
  }

  /** Sends the requests at once and waits for all answers. */
  measure(requests: readonly HostileRequest[]): Promise<Measured> {
    return this.measureWork(() => Promise.all(requests.map((request) => this.send(request))))
  }

  /** What the server does on account of several requests. @param work resolves with the statuses of the answers */
  async measureWork(work: () => Promise<readonly number[]>): Promise<Measured> {
    const before = await this.#read()
    const statuses = await work()
    const { longestMs, residentMax } = await this.#read()
    return { longestMs, grownBytes: residentMax - before.resident, statuses }
  }

  /** Memory of the server's process now. */
  async residentBytes(): Promise<number> {
    return (await this.#read()).resident
  }

  /** The sum of a metric's samples. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.server.address}/metrics`, { headers: { authorization: `Bearer ${this.key}` } })
    const samples = (await response.text()).matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))
    return [...samples].reduce((sum, sample) => sum + Number(sample[1]), 0)
  }

  /** The status of the answer, read to its end. */
  send({ method, path, headers = {}, body = new Uint8Array() }: HostileRequest): Promise<number> {
    const { hostname, port } = new URL(this.server.address)
    const lines = Object.entries({
      host: `${hostname}:${port}`,
      authorization: `Bearer ${this.key}`,
      'content-length': String(body.length),
      connection: 'close',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    return new Promise((resolve) => {
      let head = ''
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
        socket.write(body)
      })
      socket.on('data', (bytes) => {
        if (head.length < 64) head += bytes.toString('latin1')
      })
      // A server that refuses early resets the connection: what it said before that counts.
      socket.on('error', () => {})
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)))
    })
  }

  async #read(): Promise<ProbeReport> {
    this.#report += 1
    this.server.child.kill('SIGUSR2')
    let seen: ProbeReport | null = null
    await until(() => {
      seen = this.#seen()
      return seen?.report === this.#report
    })
    const report = seen as unknown as ProbeReport
    this.scanMs = Math.max(this.scanMs, report.scanMs)
    return report
  }

  #seen(): ProbeReport | null {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as ProbeReport
    } catch {
      return null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installation[Symbol.asyncDispose]()
  }
}

/** A client that goes on until it is disposed; everything that it saw go wrong is in `faults`. */
export class Bystander implements AsyncDisposable {
  readonly faults: string[] = []
  answers = 0
  readonly #server: MeasuredServer
  readonly #working: Promise<unknown>
  #over = false

  constructor(server: MeasuredServer) {
    this.#server = server
    this.#working = Promise.all([this.#loop(() => this.#health()), this.#loop(() => this.#chat())])
  }

  async #loop(once: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      await once().catch((thrown: unknown) => this.faults.push(String(thrown)))
      this.answers += 1
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async #health(): Promise<void> {
    const response = await fetch(`${this.#server.server.address}/healthz`)
    await response.arrayBuffer()
    if (response.status !== 200) this.faults.push(`/healthz ${response.status}`)
  }

  async #chat(): Promise<void> {
    const response = await this.#server.server.chat(this.#server.key, 'Count to three.')
    const text = await response.text()
    if (response.status !== 200 || !text.endsWith('data: [DONE]\n\n'))
      this.faults.push(`chat ${response.status} ${text.slice(-200)}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true
    await this.#working
  }
}
