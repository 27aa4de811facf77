/** The official client for Azure, with `…/ai` as its endpoint, its deployments as models. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { messages, startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'

let gateway: GatewayApp
let client: AzureOpenAI
const apiVersion = '2024-10-21'
const azure = (options: object = {}) =>
  new AzureOpenAI({
    endpoint: `${gateway.url}/ai`,
    apiKey: gateway.keys.main.secret,
    apiVersion,
    maxRetries: 0,
    ...options,
  })

beforeAll(async () => {
  gateway = await startGateway()
  client = azure()
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

const said = 'Hello, wörld 🌊'
const received = () => gateway.upstream.requests.at(-1)!

test('a chat is answered, whole and streamed, and api-version goes no further', async () => {
  const whole = await client.chat.completions.create({ model: 'plain', messages: [...messages] })
  expect(whole.choices[0]?.message.content).toBe(said)
  expect([received().path, received().json()['model']]).toEqual(['/v1/chat/completions', 'upstream-model'])
  let text = ''
  const stream = await client.chat.completions.create({ model: 'plain', messages: [...messages], stream: true })
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  expect(text).toBe(said)
})

test('a deployment of the client has precedence over the model in the body, or does without one', async () => {
  for (const model of ['no-such-model', '', 'upstream-model']) {
    const chat = await azure({ deployment: 'plain' }).chat.completions.create({ model, messages: [...messages] })
    expect(chat.choices[0]?.message.content).toBe(said)
    expect(received().json()['model']).toBe('upstream-model')
  }
  const path = '/ai/openai/deployments/plain/embeddings?api-version=2024-10-21'
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.request('POST', path, { headers, body: '{"input":"a"}' })
  expect([response.status, received().json()]).toEqual([200, { model: 'upstream-model', input: 'a' }])
})

test('a deployment that is no model is unknown by its name, whatever the body names', async () => {
  const asked = azure({ deployment: 'unheard-of' }).chat.completions.create({ model: 'plain', messages: [...messages] })
  expect(await asked.catch((error: unknown) => error)).toMatchObject({
    status: 404,
    code: 'model_not_found',
    message: expect.stringContaining('unheard-of') as string,
  })
})

test('a deployment that the account has no access to is refused, although the body names another', async () => {
  const asked = azure({ deployment: 'private' }).chat.completions.create({ model: 'plain', messages: [...messages] })
  expect(await asked.catch((error: unknown) => error)).toMatchObject({ status: 403, code: 'model_access_denied' })
})

test('a deployment whose name has a slash is found', async () => {
  const name = 'lab/a-model'
  const provider = { name: 'lab', kind: 'openai', base_url: gateway.upstream.url }
  const made = (await (await gateway.operate('POST', '/providers', provider)).json()) as { readonly id: string }
  const fields = { name, provider_id: made.id, upstream_name: 'upstream-model' }
  expect((await gateway.operate('POST', '/models', fields)).status).toBe(201)
  const chat = await client.chat.completions.create({ model: name, messages: [...messages] })
  expect(chat.choices[0]?.message.content).toBe(said)
})

test('files go to the deployment of the address', async () => {
  const file = await toFile(Buffer.alloc(100_000, 7), 'hello.mp3', { type: 'audio/mpeg' })
  expect((await client.audio.transcriptions.create({ model: 'plain', file })).text).toBe('Hello.')
  expect((await azure({ deployment: 'plain' }).audio.transcriptions.create({ model: 'x', file })).text).toBe('Hello.')
  expect(received().path).toBe('/v1/audio/transcriptions')
})

test('models are listed, and responses answered, where the client looks for what has no deployment', async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id)
  expect(ids).toContain('plain')
  expect((await client.models.retrieve('plain')).id).toBe('plain')
  const response = await client.responses.create({ model: 'plain', input: 'Say hello.' })
  expect(response.output_text).toBe(said)
  expect((await client.responses.retrieve(response.id)).id).toBe(response.id)
})

test('the plain client on the v1 API of Azure is answered', async () => {
  const plain = new OpenAI({
    baseURL: `${gateway.url}/ai/openai/v1`,
    apiKey: gateway.keys.main.secret,
    defaultQuery: { 'api-version': 'preview' },
    maxRetries: 0,
  })
  const chat = await plain.chat.completions.create({ model: 'plain', messages: [...messages] })
  expect(chat.choices[0]?.message.content).toBe(said)
  expect((await plain.models.retrieve('plain')).id).toBe('plain')
})

test('a key that is not valid is refused in the words of the API', async () => {
  const asked = azure({ apiKey: 'sk-none' }).chat.completions.create({ model: 'plain', messages: [...messages] })
  expect(await asked.catch((error: unknown) => error)).toMatchObject({ status: 401, code: 'invalid_api_key' })
})
