/**
 * A load generator's HTTP client: one request after the other on a raw socket, with no more parsing
 * than it takes to find the end of an answer and to count its events. Cheap, because it shares the
 * machine with what it measures.
 */
import type { Socket } from 'bun'

export interface Destination {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Outcome {
  /** 0 when no answer came. */
  readonly status: number
  /** True when the answer's framing was complete; false when it broke off or `leave` was called. */
  readonly complete: boolean
  /** Events that carried a token. */
  readonly tokens: number
  /** True when a stream ended with [DONE]. */
  readonly done: boolean
}

export interface RequestContext {
  /** `performance.now()` of the first token; null before it. */
  readonly firstTokenAt: number | null
  readonly tokens: number
  readonly outcome: Promise<Outcome>
  /** Closes the connection without waiting for the rest. */
  leave(): void
}

/** The whole request as bytes. */
export function requestBytes(destination: Destination): Buffer {
  const body = Buffer.from(destination.body)
  const lines = [`POST ${destination.path} HTTP/1.1`, `Host: 127.0.0.1:${destination.port}`]
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...destination.headers }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

type State = 'head' | 'length' | 'size' | 'data' | 'data-end' | 'trailer' | 'until-close' | 'complete'

const tokenMark = '"content":"'

/** Follows one answer through its framing; `take` returns true at its end. */
class Answer {
  status = 0
  tokens = 0
  done = false
  firstTokenAt: number | null = null
  state: State = 'head'
  #held = ''
  #left = 0
  #streamed = false
  #line = ''

  /** Bytes as latin1: marks are ASCII, and the framing counts bytes. */
  take(text: string): boolean {
    this.#held += text
    while (this.#step()) if (this.isComplete) return true
    return false
  }

  get isComplete(): boolean {
    return this.state === 'complete'
  }

  /** False when more bytes are needed. */
  #step(): boolean {
    switch (this.state) {
      case 'head':
        return this.#readHead()
      case 'size':
        return this.#readLine((line) => {
          this.#left = Number.parseInt(line, 16)
          this.state = this.#left === 0 ? 'trailer' : 'data'
        })
      case 'data-end':
        return this.#readLine(() => (this.state = 'size'))
      case 'trailer':
        return this.#readLine((line) => (this.state = line === '' ? 'complete' : 'trailer'))
      case 'complete':
        return false
      case 'length':
      case 'data':
      case 'until-close':
        return this.#readData()
    }
  }

  #readHead(): boolean {
    const end = this.#held.indexOf('\r\n\r\n')
    if (end === -1) return false
    const head = this.#held.slice(0, end).toLowerCase()
    this.#held = this.#held.slice(end + 4)
    this.status = Number(head.slice(9, 12))
    this.#streamed = head.includes('text/event-stream')
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1]
    if (head.includes('\r\ntransfer-encoding: chunked')) this.state = 'size'
    else if (length === undefined) this.state = 'until-close'
    else {
      this.#left = Number(length)
      this.state = this.#left === 0 ? 'complete' : 'length'
    }
    return true
  }

  #readLine(use: (line: string) => void): boolean {
    const end = this.#held.indexOf('\r\n')
    if (end === -1) return false
    const line = this.#held.slice(0, end)
    this.#held = this.#held.slice(end + 2)
    use(line)
    return true
  }

  #readData(): boolean {
    if (this.#held === '') return false
    const data = this.state === 'until-close' ? this.#held : this.#held.slice(0, this.#left)
    this.#held = this.#held.slice(data.length)
    this.#left -= data.length
    if (this.#streamed) this.#countEvents(data)
    if (this.#left === 0 && this.state === 'length') this.state = 'complete'
    if (this.#left === 0 && this.state === 'data') this.state = 'data-end'
    return true
  }

  #countEvents(data: string): void {
    const lines = (this.#line + data).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) {
      if (line.includes(tokenMark)) {
        this.tokens += 1
        this.firstTokenAt ??= performance.now()
      } else if (line.startsWith('data: [DONE]')) this.done = true
    }
  }
}

/** A connection that carries one context at a time; it is dialled at the first and again after a break. */
export class Connection {
  readonly #port: number
  #socket: Promise<Socket> | null = null
  #answer: Answer | null = null
  #finish: ((complete: boolean) => void) | null = null

  constructor(port: number) {
    this.#port = port
  }

  /** Sends the bytes of one request. */
  context(request: Uint8Array): RequestContext {
    const answer = new Answer()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#answer = answer
    this.#finish = (complete) => {
      this.#finish = null
      resolve({ status: answer.status, complete, tokens: answer.tokens, done: answer.done })
    }
    this.#socket ??= this.#dial()
    this.#socket.then(
      (socket) => socket.write(request),
      () => this.#broken(),
    )
    return {
      get firstTokenAt() {
        return answer.firstTokenAt
      },
      get tokens() {
        return answer.tokens
      },
      outcome: promise,
      leave: () => this.close(),
    }
  }

  close(): void {
    this.#socket?.then(
      (socket) => socket.terminate(),
      () => {},
    )
    this.#broken()
  }

  #dial(): Promise<Socket> {
    return Bun.connect({
      hostname: '127.0.0.1',
      port: this.#port,
      socket: {
        data: (_, bytes) => {
          if (this.#answer?.take(bytes.toString('latin1')) === true) this.#finish?.(true)
        },
        close: () => this.#broken(),
        error: () => this.#broken(),
      },
    })
  }

  #broken(): void {
    this.#socket = null
    this.#finish?.(this.#answer?.state === 'until-close')
  }
}
