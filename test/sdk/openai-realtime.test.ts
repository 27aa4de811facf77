/** The realtime clients of the official packages, as a page uses them, with a key or a client secret in a protocol, and for Azure. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import OpenAI, { AzureOpenAI } from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'
import {
  OpenAIRealtimeWebSocket as AgentsRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
} from '@openai/agents/realtime'
import { startRealtimeApp, type RealtimeApp } from '#test/support/app/realtime-app.ts'
import { until } from '#test/support/until.ts'

let app: RealtimeApp
beforeAll(async () => {
  app = await startRealtimeApp()
  app.upstream.onMessage = ({ socket }, message) => {
    const { type } = JSON.parse(String(message)) as { readonly type: string }
    if (type !== 'response.create') return
    const events = [
      { type: 'response.created', event_id: 'e1', response: {} },
      { type: 'response.output_text.delta', delta: 'Hel' },
      { type: 'response.output_text.delta', delta: 'lo.' },
      {
        type: 'response.done',
        event_id: 'e4',
        response: { id: 'r1', output: [], usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } },
      },
    ]
    for (const event of events) socket.send(JSON.stringify(event))
  }
})
afterAll(() => app[Symbol.asyncDispose]())

async function talk(realtime: OpenAIRealtimeWebSocket): Promise<string> {
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  realtime.on('error', reject)
  realtime.on('response.output_text.delta', ({ delta }) => void (text += delta))
  realtime.on('response.done', () => resolve())
  realtime.socket.addEventListener('open', () => realtime.send({ type: 'response.create' }))
  await promise
  realtime.close()
  await until(() => app.upstream.open === 0)
  return text
}

const typeOf = (message: string | Buffer): unknown => (JSON.parse(String(message)) as { readonly type: unknown }).type

/** The client takes only wss:, and the server of the test has no certificate. */
class PlainWebSocket extends WebSocket {
  constructor(url: string, options: string[]) {
    super(url.replace('wss:', 'ws:'), options)
  }
}
const native = globalThis.WebSocket
beforeEach(() => void (globalThis.WebSocket = PlainWebSocket as typeof WebSocket))
afterEach(() => void (globalThis.WebSocket = native))

test('a conversation goes there and back', async () => {
  const client = new OpenAI({ baseURL: `${app.gateway.url}/ai/v1`, apiKey: app.gateway.keys.main.secret })
  const realtime = new OpenAIRealtimeWebSocket({ model: 'voice', dangerouslyAllowBrowser: true }, client)
  expect(await talk(realtime)).toBe('Hello.')
  expect(app.upstream.peer.target).toBe('/v1/realtime?model=gpt-realtime')
})

test('a page that has only a client secret talks, too', async () => {
  const { url, keys } = app.gateway
  const server = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: keys.main.secret })
  const session = { type: 'realtime', model: 'voice', instructions: 'Be brief.' } as const
  const { value, expires_at } = await server.realtime.clientSecrets.create({ session })
  expect(expires_at).toBeGreaterThan(Date.now() / 1000)
  const page = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: value, dangerouslyAllowBrowser: true })
  expect(await talk(new OpenAIRealtimeWebSocket({ model: 'voice' }, page))).toBe('Hello.')
  expect(app.upstream.peer.received.map(typeOf)).toEqual(['session.update', 'response.create'])
})

test('so does a session of @openai/agents, which takes nothing else in a page', async () => {
  const { url, keys, port } = app.gateway
  const server = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: keys.main.secret })
  const { value } = await server.realtime.clientSecrets.create({ session: { type: 'realtime', model: 'voice' } })
  const transport = new AgentsRealtimeWebSocket({ url: `ws://127.0.0.1:${port}/ai/v1/realtime?model=voice` })
  const agent = new RealtimeAgent({ name: 'assistant', instructions: 'Be brief.' })
  const talking = new RealtimeSession(agent, { transport, model: 'voice', tracingDisabled: true })
  await talking.connect({ apiKey: value })
  const done = Promise.withResolvers<void>()
  transport.on('turn_done', () => done.resolve())
  talking.sendMessage('Hello?')
  await done.promise
  talking.close()
  await until(() => app.upstream.open === 0)
  expect(app.upstream.peer.received.map(typeOf)).toContain('response.create')
  expect(String(app.upstream.peer.received[0])).toContain('Be brief.')
})

test("so it does for Azure's client", async () => {
  const client = new AzureOpenAI({
    endpoint: `${app.gateway.url}/ai`,
    apiKey: app.gateway.keys.main.secret,
    apiVersion: '2025-04-01-preview',
    deployment: 'voice',
  })
  expect(await talk(await OpenAIRealtimeWebSocket.azure(client))).toBe('Hello.')
  expect(app.upstream.peer.target).toBe('/v1/realtime?model=gpt-realtime')
})
