/** The realtime client of the official OpenAI package, as a page uses it, with the key in a protocol, and for Azure. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import OpenAI, { AzureOpenAI } from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'
import { startRealtimeApp, type RealtimeApp } from '#test/support/app/realtime-app.ts'
import { until } from '#test/support/until.ts'

let app: RealtimeApp
beforeAll(async () => {
  app = await startRealtimeApp()
  app.upstream.onMessage = ({ socket }, message) => {
    const { type } = JSON.parse(String(message)) as { readonly type: string }
    if (type !== 'response.create') return
    const events = [
      { type: 'response.created', response: {} },
      { type: 'response.output_text.delta', delta: 'Hel' },
      { type: 'response.output_text.delta', delta: 'lo.' },
      { type: 'response.done', response: { usage: { input_tokens: 3, output_tokens: 2 } } },
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
