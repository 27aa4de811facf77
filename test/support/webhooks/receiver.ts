/** A receiver of webhooks that answers as a test says, and remembers what it got. */
import { createHmac } from 'node:crypto'
import type { AdminApp } from '../app/admin-app.ts'

export interface Received {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
  readonly type: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** All requests, in the order of their arrival. */
  readonly received: readonly Received[]
  /** Requests that are not answered yet, and the most there were at once. */
  readonly underWay: () => number
  readonly most: () => number
  /** How it answers from now on. */
  answer: (received: Received) => Response | Promise<Response>
}

export const accepted = (): Response => new Response(null, { status: 204 })

/** Listens on loopback until it is disposed. */
export function startReceiver(answer: Receiver['answer'] = accepted, port = 0): Receiver {
  const received: Received[] = []
  let [underWay, most] = [0, 0]
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text()
      const one: Received = {
        id: request.headers.get('webhook-id') ?? '',
        timestamp: request.headers.get('webhook-timestamp') ?? '',
        signature: request.headers.get('webhook-signature') ?? '',
        body,
        type: (JSON.parse(body) as { type: string }).type,
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
      }
      received.push(one)
      underWay += 1
      most = Math.max(most, underWay)
      try {
        return await receiver.answer(one)
      } finally {
        underWay -= 1
      }
    },
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    port: server.port ?? 0,
    received,
    underWay: () => underWay,
    most: () => most,
    answer,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return receiver
}

/** Which of the signatures of a request this secret has made, by the text of Standard Webhooks. */
export function signedBy({ id, timestamp, signature, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return signature.split(' ').includes(expected)
}

export interface Hook {
  readonly id: string
  readonly secret: string
}

/** Adds an endpoint by the admin API. */
export async function addHook(app: AdminApp, url: string, more: object = {}): Promise<Hook> {
  const { status, body, text } = await app.call<Hook>('POST', '/webhooks', { body: { url, ...more } })
  if (status !== 201) throw new Error(text)
  return body
}

/** An event that nobody else makes. */
export function anEvent(subject: string, at = Date.now()) {
  return { type: 'document.completed', subject, at, userId: null } as const
}

export interface DeliveryOnWire {
  readonly id: string
  readonly event_id: string
  readonly state: string
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
  readonly next_attempt_at: string | null
}

/** The deliveries of an endpoint, the newest first; at most 200. */
export async function deliveriesOf(app: AdminApp, { id }: Pick<Hook, 'id'>): Promise<readonly DeliveryOnWire[]> {
  const { body } = await app.call<{ data: DeliveryOnWire[] }>('GET', `/webhooks/${id}/deliveries?limit=200`)
  return body.data
}
