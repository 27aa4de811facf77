import { afterAll, expect, test } from 'bun:test'
import { Documented } from './documented.ts'
import { watchFetch } from './watched-fetch.ts'

const schema = (type: string) => ({ schema: { type: 'object', required: ['a'], properties: { a: { type } } } })
const content = { 'application/json': schema('integer'), 'text/event-stream': schema('string') }
const refused = { content: { 'application/json': { schema: { type: 'object', required: ['error'] } } } }
const get = { responses: { '200': { description: '', content }, '500': refused } }
const document = { openapi: '3.1.1', paths: { '/things/{id}': { get } }, components: { schemas: {} } }

const asJson = { 'content-type': 'application/json' }
const asEvents = { 'content-type': 'text/event-stream' }
const answers: Readonly<Record<string, () => Response>> = {
  right: () => Response.json({ a: 1 }),
  wrong: () => Response.json({ a: 'one' }),
  status: () => new Response('{"a":1}', { status: 201, headers: asJson }),
  type: () => new Response('a', { headers: { 'content-type': 'text/plain' } }),
  events: () => new Response('data: {"a":"x"}\n\ndata: {"error":{}}\n\ndata: [DONE]\n\n', { headers: asEvents }),
  event: () => new Response('data: {"a":"x"}\n\ndata: {"a":1}\n\n', { headers: asEvents }),
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => answers[new URL(url).pathname.split('/').at(-1) ?? '']!(),
})
afterAll(() => server.stop(true))

const origin = `http://127.0.0.1:${server.port}`
const documented = await Documented.of({ handleTrusted: () => Promise.resolve(Response.json(document)) })

async function contradictionIn(id: string): Promise<boolean> {
  const watch = watchFetch(origin, documented)
  const response = await fetch(`${origin}/things/${id}`)
  expect(await response.text()).toBe(await answers[id]!().text())
  try {
    watch[Symbol.dispose]()
    return false
  } catch {
    return true
  }
}

test.each([
  ['right', false],
  ['wrong', true],
  ['status', true],
  ['type', true],
  ['events', false],
  ['event', true],
] as const)('an answer of the kind %s is a contradiction: %p', async (id, is) => {
  expect(await contradictionIn(id)).toBe(is)
})

test('what a client does not read to its end is no contradiction, and the client can leave', async () => {
  const watch = watchFetch(origin, documented)
  const response = await fetch(`${origin}/things/wrong`)
  await response.body?.cancel()
  watch[Symbol.dispose]()
})

test('without a watch, fetch is that of the runtime', () => {
  const before = globalThis.fetch
  watchFetch(origin, documented)[Symbol.dispose]()
  expect(globalThis.fetch).toBe(before)
})
