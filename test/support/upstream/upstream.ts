/**
 * A model provider for tests: a real server on 127.0.0.1 that answers as OpenAI does until a
 * script says otherwise, and keeps everything it received. It works on the raw socket, so that a
 * script can send any bytes and break the connection at any of them; nothing here waits for time
 * to pass.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { answer, openAiAnswer, type Behaviour, type Step } from './upstream-behaviours.ts'
import { RequestParser, type ParsedRequest } from './upstream-parser.ts'

/** Base URL of a provider that refuses every connection: nothing can listen there without being asked to. */
export const refusingUrl = 'http://127.0.0.1:1/v1'

export type Script = Behaviour | ((request: ReceivedRequest) => Behaviour)

/** One request as it arrived, and what became of its connection. */
export class ReceivedRequest implements ParsedRequest {
  readonly method: string
  readonly target: string
  /** The target without its query. */
  readonly path: string
  readonly headers: ParsedRequest['headers']
  readonly body: Uint8Array
  /** Connections are counted from 0. */
  readonly connection: number
  /** Above 0 when the connection was reused. */
  readonly indexOnConnection: number
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>
  /** Resolves when every step of the script has run; never when the client left first. */
  readonly answered: Promise<void>
  readonly #gates: Gates
  readonly #line: Line
  #resolveAnswered = (): void => {}
  #isAnswered = false
  #bytesSent = 0

  constructor(parsed: ParsedRequest, line: Line, gates: Gates) {
    this.method = parsed.method
    this.target = parsed.target
    this.path = parsed.target.split('?')[0] ?? ''
    this.headers = parsed.headers
    this.body = parsed.body
    this.connection = line.ordinal
    this.indexOnConnection = line.requestCount
    this.closed = line.gone
    this.#line = line
    this.#gates = gates
    this.answered = new Promise((resolve) => (this.#resolveAnswered = resolve))
  }

  /** True when the connection went before the script had run to its end; settled once `closed` resolves. */
  get aborted(): boolean {
    return this.#line.isGone && !this.#isAnswered
  }

  /** Bytes of the answer that the socket has taken. */
  get bytesSent(): number {
    return this.#bytesSent
  }

  /** Value of a header, whatever its case; several are joined by a comma; null when absent. */
  header(name: string): string | null {
    const values = this.headers.filter((header) => header[0].toLowerCase() === name.toLowerCase())
    return values.length === 0 ? null : values.map((header) => header[1]).join(', ')
  }

  /** The body as a JSON object; throws when it is none. */
  json(): Readonly<Record<string, unknown>> {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(this.body)) as Record<string, unknown>
  }

  /** Opens the next `count` gates of this request, also those it has not reached yet. */
  release(count = 1): void {
    this.#gates.release(count, this)
  }

  /** For the upstream: bytes went out. */
  noteSent(bytes: number): void {
    this.#bytesSent += bytes
  }

  /** For the upstream: the script ran to its end. */
  noteAnswered(): void {
    this.#isAnswered = true
    this.#resolveAnswered()
  }
}

/** Lets scripts through their gates; a release that finds no one waiting is kept for later. */
class Gates {
  readonly #kept = new Map<ReceivedRequest | null, number>()
  #waiting: { readonly request: ReceivedRequest; readonly open: () => void }[] = []

  pass(request: ReceivedRequest): Promise<void> {
    for (const owner of [request, null]) {
      const kept = this.#kept.get(owner) ?? 0
      if (kept === 0) continue
      this.#kept.set(owner, kept - 1)
      return Promise.resolve()
    }
    return new Promise((open) => this.#waiting.push({ request, open }))
  }

  /** Opens gates of one request, or of those that wait longest when `owner` is null. */
  release(count: number, owner: ReceivedRequest | null): void {
    this.#waiting = this.#waiting.filter((entry) => !entry.request.aborted)
    let left = count
    while (left > 0) {
      const index = this.#waiting.findIndex((entry) => owner === null || entry.request === owner)
      if (index === -1) break
      this.#waiting.splice(index, 1)[0]?.open()
      left -= 1
    }
    this.#kept.set(owner, (this.#kept.get(owner) ?? 0) + left)
  }
}

/** One accepted connection. */
class Line {
  readonly ordinal: number
  readonly gone: Promise<void>
  readonly parser = new RequestParser()
  readonly #socket: Socket
  #isGone = false
  requestCount = 0
  /** Tail of the requests on this connection: the next one starts when the last has been answered. */
  tail: Promise<void> = Promise.resolve()

  constructor(socket: Socket, ordinal: number) {
    this.#socket = socket
    this.ordinal = ordinal
    this.gone = new Promise((resolve) => {
      const end = () => {
        this.#isGone = true
        resolve()
      }
      // A broken connection ends in 'close' as well; unhandled, its error would end the test run.
      socket.on('error', end).on('end', end).on('close', end)
    })
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** True when the socket has taken the bytes, false when the client left before. */
  async send(bytes: Uint8Array): Promise<boolean> {
    // A turn of the event loop keeps this write from leaving together with the one before.
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.#isGone) return false
    if (this.#socket.write(bytes)) return true
    const drained = new Promise<boolean>((resolve) => this.#socket.once('drain', () => resolve(true)))
    return Promise.race([drained, this.gone.then(() => false)])
  }

  close(): void {
    this.#socket.end()
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }
}

/** Lives from `startUpstream` to `close`; `await using` closes it. */
export class Upstream {
  /** Base URL as a provider record has it. */
  readonly url: string
  readonly #server: Server
  readonly #lines = new Map<Socket, Line>()
  readonly #gates = new Gates()
  readonly #requests: ReceivedRequest[] = []
  readonly #untaken: ReceivedRequest[] = []
  readonly #takers: ((request: ReceivedRequest) => void)[] = []
  readonly #malformed: string[] = []
  readonly #queue: Script[] = []
  #script: Script = openAiAnswer
  #lineCount = 0
  /** What `/metrics` answers, beside all scripts; null: 404. */
  metrics: string | null = null
  /** How often it was asked for. */
  metricsAsked = 0

  constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Every request received in full, in order of arrival. */
  get requests(): readonly ReceivedRequest[] {
    return this.#requests
  }

  /** What arrived and was not HTTP/1.1, or no script could read; such connections are reset. Expect it empty. */
  get malformed(): readonly string[] {
    return this.#malformed
  }

  /** Connections accepted so far. */
  get connections(): number {
    return this.#lineCount
  }

  /** Connections open now. */
  get openConnections(): number {
    return this.#lines.size
  }

  /** Sets what every request gets from now on. */
  script(script: Script): void {
    this.#script = script
  }

  /** Sets what the next requests get, one script each; after them `script` rules again. */
  scriptNext(...scripts: readonly Script[]): void {
    this.#queue.push(...scripts)
  }

  /** The oldest request not yet handed out here, as soon as there is one. */
  nextRequest(): Promise<ReceivedRequest> {
    const request = this.#untaken.shift()
    return request === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(request)
  }

  /** Forgets every request so far, for tests that send very many and watch the memory. */
  forget(): void {
    this.#requests.length = 0
    this.#untaken.length = 0
  }

  /** Opens the next `count` gates, of whatever request reaches them first. */
  release(count = 1): void {
    this.#gates.release(count, null)
  }

  /** Stops listening and breaks every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const socket of this.#lines.keys()) socket.destroy()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #accept(socket: Socket): void {
    const line = new Line(socket, this.#lineCount)
    this.#lineCount += 1
    this.#lines.set(socket, line)
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#receive(line, bytes))
    socket.on('close', () => this.#lines.delete(socket))
  }

  #receive(line: Line, bytes: Buffer): void {
    try {
      for (const parsed of line.parser.push(bytes)) this.#take(line, parsed)
    } catch (thrown) {
      this.#malformed.push(String(thrown))
      line.reset()
    }
  }

  #take(line: Line, parsed: ParsedRequest): void {
    const request = new ReceivedRequest(parsed, line, this.#gates)
    line.requestCount += 1
    if (request.path === '/metrics') {
      this.metricsAsked += 1
      const told = answer(this.metrics === null ? 404 : 200, { 'Content-Type': 'text/plain' }, this.metrics ?? '')
      line.tail = line.tail.then(() => this.#answer(line, request, told))
      return
    }
    this.#requests.push(request)
    const taker = this.#takers.shift()
    if (taker === undefined) this.#untaken.push(request)
    else taker(request)
    const script = this.#queue.shift() ?? this.#script
    line.tail = line.tail.then(() => this.#answer(line, request, script))
  }

  async #answer(line: Line, request: ReceivedRequest, script: Script): Promise<void> {
    try {
      for (const step of typeof script === 'function' ? script(request) : script) {
        if (line.isGone || !(await this.#perform(step, line, request))) return
      }
      request.noteAnswered()
    } catch (thrown) {
      this.#malformed.push(String(thrown))
      line.reset()
    }
  }

  /** False when the client left before the step was done. */
  async #perform(step: Step, line: Line, request: ReceivedRequest): Promise<boolean> {
    switch (step.step) {
      case 'send':
        if (!(await line.send(step.bytes))) return false
        request.noteSent(step.bytes.length)
        return true
      case 'gate':
        return Promise.race([this.#gates.pass(request).then(() => true), line.gone.then(() => false)])
      case 'hang':
        return line.gone.then(() => false)
      case 'close':
        line.close()
        return true
      case 'reset':
        line.reset()
        return true
    }
  }
}

/** A provider that answers as OpenAI does, listening on a free port when none is given. */
export async function startUpstream({ host = '127.0.0.1', port = 0 } = {}): Promise<Upstream> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return new Upstream(server)
}
