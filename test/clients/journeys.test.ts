/**
 * Every client of the table does what its users do, with models of providers of every API: chat completions only, the
 * Responses API beside them, and Anthropic. The table in docs/clients.md is made of what runs here.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { acted, type Turn } from '#test/support/upstream/acted-turn.ts'
import { hang, json, type Behaviour, type ScriptedRequest } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { Client, Setup } from './table/client.ts'
import { clients } from './table/clients.ts'
import { modelsOfEveryApi, providerApis } from './table/models.ts'
import { until } from '#test/support/until.ts'

let gateway: GatewayApp
let models: Readonly<Record<string, string>>
beforeAll(async () => {
  gateway = await startGateway()
  models = await modelsOfEveryApi(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const said = 'Hello, wörld 🌊'
const picture = stripedPng(6, 4, [
  [200, 0, 0],
  [0, 0, 200],
]).toString('base64')

/** A refusal as all APIs read it: Anthropic's has a type of its own around the error. */
const refusal = { type: 'error', ...errorObject('The prompt has 9 tokens too many.', 'context_length_exceeded') }

interface Feature {
  readonly name: string
  readonly has: (client: Client) => boolean
  readonly run: (client: Client, setup: Setup) => Promise<void>
}

/** Everything that the upstream received since the test began, as text. */
let before = 0
const received = (): readonly string[] =>
  gateway.upstream.requests.slice(before).map(({ body }) => new TextDecoder().decode(body))

const features: readonly Feature[] = [
  {
    name: 'whole',
    has: () => true,
    async run(client, setup) {
      gateway.upstream.script(answering({ text: said }))
      expect(await client.say(setup, { prompt: 'Say hello.' })).toBe(said)
      expect(received()).toEqual([expect.stringContaining('Say hello.')])
    },
  },
  {
    name: 'streamed',
    has: ({ streams }) => streams,
    async run(client, setup) {
      gateway.upstream.script(answering({ text: said }))
      const pieces: string[] = []
      const onText = (piece: string) => void pieces.push(piece)
      expect(await client.say(setup, { prompt: 'Say hello.', streamed: true, onText })).toBe(said)
      expect(pieces.length).toBeGreaterThan(1)
    },
  },
  {
    name: 'tool loop',
    has: (client) => client.loop !== undefined,
    async run(client, setup) {
      for (const streamed of [false, true]) {
        before = gateway.upstream.requests.length
        const call = { id: 'call_1', name: 'weather', args: '{"city":"Bern"}' }
        gateway.upstream.scriptNext(acted({ text: 'I look.', call }))
        gateway.upstream.script(acted({ text: said }))
        expect(await client.loop?.(setup, { prompt: 'How warm is it?', streamed })).toEndWith(said)
        const [first = '', second = '', ...more] = received()
        expect(more).toEqual([])
        expect(first).toContain('Tells how warm it is in a city.')
        expect(second).toContain('21 °C in Bern')
      }
    },
  },
  {
    name: 'parallel calls',
    has: (client) => client.loop !== undefined,
    async run(client, setup) {
      const calls = ['Bern', 'Zürich 🌊', 'Chur'].map((city, index) => ({
        id: `call_${index}`,
        name: 'weather',
        args: JSON.stringify({ city }),
      }))
      for (const streamed of [false, true]) {
        before = gateway.upstream.requests.length
        gateway.upstream.scriptNext(acted({ text: 'I look.', calls }))
        gateway.upstream.script(acted({ text: said }))
        expect(await client.loop?.(setup, { prompt: 'How warm is it?', streamed })).toEndWith(said)
        const [, second = '', ...more] = received()
        expect(more).toEqual([])
        for (const city of ['Bern', 'Zürich 🌊', 'Chur']) expect(second).toContain(`21 °C in ${city}`)
      }
    },
  },
  {
    name: 'structured output',
    has: (client) => client.shape !== undefined,
    async run(client, setup) {
      gateway.upstream.script(answering({ text: '{"city":"Bern","degrees":21}' }))
      expect(await client.shape?.(setup, 'How warm is it?')).toEqual({ city: 'Bern', degrees: 21 })
      expect(received()).toEqual([expect.stringMatching(/"degrees":{[^}]*"type":"number"/)])
    },
  },
  {
    name: 'images',
    has: ({ images }) => images,
    async run(client, setup) {
      gateway.upstream.script(answering({ text: said }))
      expect(await client.say(setup, { prompt: 'What is it?', image: picture })).toBe(said)
      expect(received()).toEqual([expect.stringContaining(picture)])
    },
  },
  {
    name: 'reasoning',
    has: (client) => client.think !== undefined,
    async run(client, setup) {
      gateway.upstream.script(answering({ thought: 'One, two.', text: said }))
      for (const streamed of [false, true]) {
        expect(await client.think?.(setup, { prompt: 'Say hello.', streamed })).toEqual(['One, two.', said])
      }
    },
  },
  {
    name: 'state',
    has: (client) => client.continue !== undefined,
    async run(client, setup) {
      gateway.upstream.script(answering({ text: said }))
      expect(await client.continue?.(setup, ['I am Ada.', 'Who am I?', 'Sure?'])).toBe(said)
      const last = received().at(-1) ?? ''
      const keepsItself =
        setup.model === models[providerApis[1]] && gateway.upstream.requests.at(-1)?.path === '/v1/responses'
      const turns = keepsItself ? ['Sure?', '_acted'] : ['I am Ada.', said, 'Who am I?', 'Sure?']
      for (const turn of turns) expect(last).toContain(turn)
    },
  },
  {
    name: 'errors',
    has: () => true,
    async run(client, setup) {
      const unknown = await failure(client.say({ ...setup, model: 'unheard-of' }, { prompt: 'Say hello.' }))
      expect([unknown.status, unknown.message]).toEqual([404, expect.stringContaining('unheard-of')])
      gateway.upstream.script(json(refusal, 400))
      const refused = await failure(client.say(setup, { prompt: 'Say hello.' }))
      expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('9 tokens too many')])
    },
  },
  {
    name: 'abort',
    has: () => true,
    async run(client, setup) {
      for (const streamed of client.streams ? [false, true] : [false]) {
        before = gateway.upstream.requests.length
        const leaving = new AbortController()
        gateway.upstream.script(streamed ? hangingInTheMiddle : [hang])
        const onText = () => leaving.abort()
        const left = client.say(setup, { prompt: 'Say hello.', streamed, signal: leaving.signal, onText })
        const settled = left.then(
          () => null,
          () => null,
        )
        await until(() => gateway.upstream.requests.length > before)
        if (!streamed) leaving.abort()
        await settled
        const request = gateway.upstream.requests[before]!
        await request.closed
        expect(request.aborted).toBe(true)
      }
    },
  },
]

const answering = (turn: Turn) => (request: ScriptedRequest) =>
  request.path === '/v1/rerank' ? json({ results: [{ index: 1, relevance_score: 0.9 }] }) : acted(turn)(request)

/** Half of an answer, and nothing more. */
function* hangingInTheMiddle(request: ScriptedRequest): Behaviour {
  const steps = [...acted({ text: said })(request)]
  yield* steps.slice(0, Math.ceil(steps.length * 0.6))
  yield hang
}

interface Failure {
  readonly status: number
  readonly message: string
}

/** What a client throws, by the names that clients have for a status. */
async function failure(promise: Promise<unknown>): Promise<Failure> {
  const thrown = (await promise.then(
    () => {
      throw new Error('the call did not fail')
    },
    (error: unknown) => error,
  )) as Partial<Failure> & { readonly statusCode?: number }
  return { status: thrown.status ?? thrown.statusCode ?? 0, message: thrown.message ?? '' }
}

beforeEach(() => void (before = gateway.upstream.requests.length))

for (const client of clients) {
  describe(client.name.replaceAll('`', ''), () => {
    for (const provider of providerApis) {
      if (!client.streams && provider === 'Anthropic') continue
      for (const feature of features.filter(({ has }) => has(client))) {
        test(`${feature.name}, with a provider of ${provider}`, async () => {
          const setup = { url: gateway.url, apiKey: gateway.keys.main.secret, model: models[provider] ?? '' }
          await feature.run(client, setup)
        })
      }
    }
  })
}

test('the table of docs/clients.md is this one', async () => {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = [
    row(['client', ...features.map(({ name }) => name)]),
    row(['client', ...features].map(() => '---')),
    ...clients.map((client) => row([client.name, ...features.map(({ has }) => (has(client) ? 'yes' : '–'))])),
  ]
  expect(await Bun.file(`${import.meta.dir}/../../docs/clients.md`).text()).toContain(table.join('\n'))
})
