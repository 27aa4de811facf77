/** A gateway with a composite of several scripted providers, each a server of its own. */
import type { Strategy } from '#catalog/records.ts'
import { startGateway, type ChatOptions, type GatewayApp } from './gateway-app.ts'
import { startUpstream, type Upstream } from '../upstream/upstream.ts'

export interface CompositeApp extends AsyncDisposable {
  readonly gateway: GatewayApp
  /** In the order of the components; that of `server-0` is the first. */
  readonly servers: readonly Upstream[]
  /** POST /ai/v1/chat/completions of the composite. */
  readonly chat: (fields?: object, options?: ChatOptions) => Promise<Response>
}

export interface CompositeOptions {
  readonly components: number
  readonly strategy?: Strategy
  readonly set?: readonly string[]
  /** Of these components nothing listens. */
  readonly dead?: readonly number[]
}

/** Components have priorities in their order, so that with `priority` it is known who is asked first. */
export async function startComposite(options: CompositeOptions): Promise<CompositeApp> {
  const { components: count, strategy = 'priority', set = [], dead = [] } = options
  await using opening = new AsyncDisposableStack()
  const gateway = opening.use(await startGateway({ set }))
  const servers: Upstream[] = []
  for (let index = 0; index < count; index += 1) {
    const server = opening.use(await startUpstream())
    servers.push(server)
    const provider = { name: `server-${index}`, kind: 'openai', base_url: server.url }
    const { id } = await made(gateway.operate('POST', '/providers', provider))
    const model = { name: `component-${index}`, provider_id: id, upstream_name: 'upstream-model' }
    await made(gateway.operate('POST', '/models', model))
    if (dead.includes(index)) await server.close()
  }
  const components = servers.map((_, index) => ({ model: `component-${index}`, priority: index }))
  await made(gateway.operate('POST', '/models', { name: 'composite', composite: { strategy, components } }))
  const resources = opening.move()
  return {
    gateway,
    servers,
    chat: (fields, chatOptions) => gateway.chat({ model: 'composite', ...fields }, chatOptions),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close().catch(() => {})))
      await resources.disposeAsync().catch((error: unknown) => {
        // The servers that a test has closed itself cannot be closed again.
        if (!String(error).includes('not running')) throw error
      })
    },
  }
}

async function made(answered: Promise<Response>): Promise<{ readonly id: string }> {
  const answer = await answered
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`not made: ${answer.status} ${text}`)
  return JSON.parse(text) as { readonly id: string }
}
