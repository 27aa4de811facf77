/** Discovery against real servers that answer as the known ones do. */
import { afterEach, describe, expect, test } from 'bun:test'
import { discoverProviders, type DiscoveryOptions } from './discover-local.ts'

const servers: Bun.Server<undefined>[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))))

type Answers = Readonly<Record<string, unknown>>

/** A server that answers these paths with JSON and all others with 404; its base URL. */
function serve(answers: Answers): string {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const answer = answers[new URL(request.url).pathname]
      return answer === undefined ? new Response('not found', { status: 404 }) : Response.json(answer)
    },
  })
  servers.push(server)
  return `http://127.0.0.1:${server.port}/v1`
}

/** Looks at these base URLs, and nowhere else. */
async function discover(baseUrls: Readonly<Record<string, string>>, options: Partial<DiscoveryOptions> = {}) {
  const nowhere = 'http://127.0.0.1:1/v1'
  const all = { ollama: nowhere, lmstudio: nowhere, llamacpp: nowhere, vllm: nowhere, ...baseUrls }
  return discoverProviders({ environment: {}, baseUrls: all, ...options })
}

const list = (owner: string) => ({
  object: 'list',
  data: [
    { id: 'm1', owned_by: owner },
    { id: 'm2', owned_by: owner },
  ],
})

describe('looking for providers', () => {
  const known: readonly (readonly [string, Answers])[] = [
    ['ollama', { '/v1/models': list('library'), '/api/version': { version: '0.9.1' } }],
    ['lmstudio', { '/v1/models': list('organization_owner'), '/api/v0/models': { data: [] } }],
    ['llamacpp', { '/v1/models': list('llamacpp') }],
    ['llamacpp', { '/v1/models': list('me'), '/props': { default_generation_settings: {} } }],
    ['vllm', { '/v1/models': list('vllm') }],
    ['vllm', { '/v1/models': list('me'), '/version': { version: '0.11.0' } }],
  ]
  test.each(known)('%s is found with its models', async (name, answers) => {
    const baseUrl = serve(answers)
    expect(await discover({ [name]: baseUrl })).toMatchObject([{ name, where: baseUrl, models: ['m1', 'm2'] }])
  })

  test('another server on a usual port is not mistaken for one', async () => {
    const other = serve({ '/v1/models': list('other') })
    const web = serve({ '/': { hello: 'world' } })
    expect(await discover({ ollama: other, lmstudio: other, llamacpp: web, vllm: other })).toEqual([])
  })

  test('our own port is left out', async () => {
    const baseUrl = serve({ '/v1/models': list('vllm') })
    expect(await discover({ vllm: baseUrl }, { exceptPorts: [Number(new URL(baseUrl).port)] })).toEqual([])
  })

  test('a server that never answers does not hold up the others', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const found = await discover(
      {
        vllm: `http://127.0.0.1:${silent.port}/v1`,
        ollama: serve({ '/v1/models': list('x'), '/api/version': { version: '1' } }),
      },
      { probeMs: 300 },
    )
    silent.stop(true)
    expect(found.map(({ name }) => name)).toEqual(['ollama'])
  })

  test('vendors are found by the names of their variables, and no key is in the result', async () => {
    const environment = {
      OPENAI_API_KEY: 'canary-1',
      GOOGLE_API_KEY: 'canary-2',
      GROQ_API_KEY: '  ',
      OTHER_KEY: 'canary-3',
    }
    const found = await discover({}, { environment })
    expect(found.map(({ name, where, models }) => [name, where, models])).toEqual([
      ['openai', 'OPENAI_API_KEY', null],
      ['gemini', 'GOOGLE_API_KEY', null],
    ])
    expect(JSON.stringify(found)).not.toContain('canary')
  })
})
