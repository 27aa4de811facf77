/** Imported models have the facts that their provider gives, beside the list of its models too. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

let app: AdminApp
let upstream: Upstream
let providers = 0
beforeAll(async () => {
  app = await startAdminApp()
  upstream = await startUpstream()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.close()
})

interface Model {
  readonly id: string
  readonly name: string
  readonly context_length: number | null
  readonly capabilities: object
}
const listOf = (owner: string, ...ids: readonly string[]): object => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
})

/** The models by name, of a server that answers so. */
async function imported(answers: Readonly<Record<string, object | null>>): Promise<Record<string, Model>> {
  upstream.script((request) => {
    const found = answers[request.path]
    if (found === undefined || found === null) return json({ error: 'not here' }, found === null ? 500 : 404)
    const { model } = request.method === 'POST' ? (request.json() as { model?: string }) : {}
    return json(model === undefined ? found : ((found as Record<string, object>)[model] ?? {}))
  })
  const made = { name: `provider-${(providers += 1)}`, base_url: upstream.url }
  const { id } = (await app.call<{ id: string }>('POST', '/providers', { body: made })).body
  const answer = await app.call<{ imported: Model[] }>('POST', `/providers/${id}/import-models`, { body: {} })
  for (const model of answer.body.imported) await app.call('DELETE', `/models/${model.id}`)
  return Object.fromEntries(answer.body.imported.map((model) => [model.name, model]))
}

test('Ollama, model by model', async () => {
  const count = 20
  const names = Array.from({ length: count }, (_, at) => `llama${at}:1b`)
  const shown = Object.fromEntries(
    names.map((name, at) => [
      name,
      { model_info: { 'llama.context_length': 1000 + at }, capabilities: ['completion', 'tools'] },
    ]),
  )
  const models = await imported({ '/v1/models': listOf('library', ...names), '/api/show': shown })
  expect(Object.keys(models)).toHaveLength(count)
  for (const [at, name] of names.entries()) {
    expect(models[name]).toMatchObject({
      context_length: 1000 + at,
      capabilities: { endpoints: ['chat/completions'], input: ['text'], tools: true },
    })
  }
})

test('LM Studio, by its own list', async () => {
  const own = { data: [{ id: 'nomic', type: 'embeddings', max_context_length: 2048 }] }
  const models = await imported({ '/v1/models': listOf('organization_owner', 'nomic'), '/api/v0/models': own })
  expect(models['nomic']).toMatchObject({ context_length: 2048, capabilities: { endpoints: ['embeddings'] } })
})

test.each([
  ['library', '/api/show'],
  ['organization_owner', '/api/v0/models'],
])(
  'a server of “%s” that does not tell more has its models imported, and guessed by their names',
  async (owner, path) => {
    const models = await imported({
      '/v1/models': listOf(owner, 'whisper-1', 'bge-m3', 'some-model'),
      [path]: null,
    })
    const kind = (endpoint: string): object => ({ capabilities: { endpoints: [endpoint], guessed: true } })
    expect(models['whisper-1']).toMatchObject(kind('audio/transcriptions'))
    expect(models['bge-m3']).toMatchObject(kind('embeddings'))
    expect(models['some-model']).toMatchObject(kind('chat/completions'))
  },
)
