/** The client against a scripted server, with a clock that only a test puts forward. */
import { Http1Client, type Http1ClientOptions, type Origin } from '#lib/http1/client.ts'
import { Http1Failure } from '#lib/http1/failure.ts'
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import type { Http1Request } from '#lib/http1/request.ts'
import { Ticker } from '#lib/ticker.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

export interface ClientUnderTest extends AsyncDisposable {
  readonly client: Http1Client
  readonly clock: ManualClock
  readonly upstream: Upstream
  readonly origin: Origin
  /** A POST to the upstream with the body `{}` unless said otherwise. */
  readonly request: (changes?: Partial<Http1Request>) => Promise<Reply>
  /** The same, read to its end: status and body. */
  readonly context: (changes?: Partial<Http1Request>) => Promise<readonly [status: number, body: string]>
}

/** Disposing checks that the client sent nothing malformed and closes all. */
export async function startClient(options: Partial<Http1ClientOptions> = {}): Promise<ClientUnderTest> {
  await using opening = new AsyncDisposableStack()
  const upstream = opening.use(await startUpstream())
  const clock = new ManualClock()
  const ticker = opening.use(new Ticker(1))
  const client = opening.use(new Http1Client({ clock, ticker, ...options }))
  const origin = client.origin(upstream.url)
  const request: ClientUnderTest['request'] = (changes) => client.request(origin, aRequest(changes))
  const resources = opening.move()
  return {
    client,
    clock,
    upstream,
    origin,
    request,
    async context(changes) {
      const { status, body } = await request(changes)
      return [status, await textOf(body)]
    },
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync()
      if (upstream.malformed.length > 0) throw new Error(`the upstream received: ${upstream.malformed.join(', ')}`)
    },
  }
}

export function aRequest(changes: Partial<Http1Request> = {}): Http1Request {
  return {
    method: 'POST',
    path: '/v1/anything',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
    signal: new AbortController().signal,
    reuseConnection: true,
    ...changes,
  }
}

/** The whole body as text. */
export async function textOf(body: ReplyBody): Promise<string> {
  const whole = await readAll(body, 64 * 1024 * 1024)
  if (whole === null) throw new Error('the body is longer than any test makes one')
  return whole.toString('latin1')
}

/** Whatever a promise rejects with; throws when it does not. */
export async function rejection(promise: unknown): Promise<unknown> {
  try {
    await promise
  } catch (reason) {
    return reason
  }
  throw new Error('it did not reject')
}

/** The failure that a promise rejects with; throws when it is none. */
export async function failureOf(promise: unknown): Promise<Http1Failure> {
  const reason = await rejection(promise)
  if (reason instanceof Http1Failure) return reason
  throw new Error('it rejected with something else', { cause: reason })
}

/** One turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
