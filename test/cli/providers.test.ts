/** Providers and models by the command line, against a real upstream that lists models. */
import { afterEach, describe, expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

const upstreams: Bun.Server<undefined>[] = []
afterEach(() => Promise.all(upstreams.splice(0).map((server) => server.stop(true))))

/** Lists two models to whoever has the key; its base URL. */
function upstream(key: string | null): string {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (key !== null && request.headers.get('authorization') !== `Bearer ${key}`)
        return new Response('no', { status: 401 })
      return Response.json({ object: 'list', data: [{ id: 'alpha', max_model_len: 4096 }, { id: 'beta' }] })
    },
  })
  upstreams.push(server)
  return `http://127.0.0.1:${server.port}/v1`
}

interface Named {
  readonly id: string
  readonly name: string
}

const names = (items: readonly Named[]) => items.map(({ name }) => name).sort()

test('a provider gets further servers, keeps what is not named, and is one server again', async () => {
  await using sluice = new Installation()
  await sluice.start(['--json'])
  const [first, second, third] = [upstream(null), upstream(null), upstream(null)]
  const added = await sluice.run([
    'providers',
    'add',
    'mine',
    '--base-url',
    first,
    '--server',
    second,
    '--server',
    third,
  ])
  expect(added.code).toBe(0)
  const servers = async (...flags: string[]) =>
    (await sluice.json<{ servers: object | null }>(['providers', 'set', 'mine', ...flags])).servers
  const urls = [second, third]
  expect(await servers('--dns', 'a')).toEqual({ urls, dns: 'a', strategy: 'affinity' })
  expect(await servers('--strategy', 'latency', '--dns', 'none')).toEqual({ urls, dns: null, strategy: 'latency' })
  expect((await sluice.run(['providers', 'list'])).stdout).toContain(`${first} and 2 more`)
  expect(await servers('--server', third)).toEqual({ urls: [third], dns: null, strategy: 'latency' })
  expect(await servers('--one-server')).toBeNull()
})

describe('providers add', () => {
  test('adds a provider with all its models; its key is read from the environment and never shown', async () => {
    await using sluice = new Installation({ MY_KEY: 'canary-credential' })
    const server = await sluice.start(['--json'])
    const { code, stdout, stderr } = await sluice.run([
      'providers',
      'add',
      'mine',
      '--base-url',
      upstream('canary-credential'),
      '--credential-env',
      'MY_KEY',
    ])
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Added mine with 2 models for everyone'),
    })
    const key = server.started.first_start!.api_key
    const listed = await fetch(`${server.address}/ai/v1/models/alpha`, { headers: { authorization: `Bearer ${key}` } })
    expect(await listed.json()).toMatchObject({ id: 'alpha', owned_by: 'mine' })
    const all = await Promise.all([
      sluice.run(['providers', 'list', '--json']),
      sluice.run(['providers', 'test', 'mine']),
    ])
    const shown = [stdout, stderr, ...all.map((each) => each.stdout + each.stderr)].join('')
    expect(shown).toContain('alpha')
    expect(shown).not.toContain('canary-credential')
  })

  test('knows local servers by name and opens their models to the groups that are named', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    const admin = await sluice.json<{ secret: string }>([
      'keys',
      'create',
      'a',
      '--user',
      'admin@localhost',
      '--area',
      'admin',
    ])
    await fetch(`${server.address}/admin/api/v1/groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'lab' }),
    })
    await sluice.json(['providers', 'add', 'ollama', '--base-url', upstream(null), '--group', 'lab'])
    const models = await sluice.json<(Named & { groups: string[] })[]>(['models', 'list'])
    expect(models.find(({ name }) => name === 'alpha')?.groups).toHaveLength(1)
    const key = server.started.first_start!.api_key
    const denied = await fetch(`${server.address}/ai/v1/models/alpha`, { headers: { authorization: `Bearer ${key}` } })
    expect(denied.status).toBe(403)
  })

  test('leaves nothing behind when nothing answers at the address', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const refused = await sluice.run(['providers', 'add', 'mine', '--base-url', 'http://127.0.0.1:1/v1'])
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      lines: [expect.stringContaining('mine at http://127.0.0.1:1/v1')],
    })
    expect(names(await sluice.json<Named[]>(['providers', 'list']))).toEqual(['practice'])
  })

  test('asks for what is missing: an address, or the variable with the key', async () => {
    await using sluice = new Installation()
    expect(await sluice.run(['providers', 'add', 'mine'])).toMatchObject({
      code: 2,
      lines: [expect.stringContaining('--base-url')],
    })
    expect(await sluice.run(['providers', 'add', 'openai'])).toMatchObject({
      code: 2,
      lines: [expect.stringContaining('OPENAI_API_KEY')],
    })
  })
})

describe('providers and models', () => {
  test('a provider with models is removed only when that is asked for', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const refused = await sluice.run(['providers', 'remove', 'practice'])
    expect(refused).toMatchObject({ code: 1, lines: [expect.stringContaining('demo-chat')] })
    expect((await sluice.run(['providers', 'remove', 'practice', '--cascade'])).code).toBe(0)
    expect(await sluice.json<Named[]>(['models', 'list'])).toEqual([])
  })

  test('an added model answers under its name and its alias', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    await sluice.json([
      'models',
      'add',
      'mine',
      '--provider',
      'practice',
      '--upstream-name',
      'demo-chat',
      '--alias',
      'also-mine',
    ])
    const headers = { authorization: `Bearer ${server.started.first_start!.api_key}` }
    for (const name of ['mine', 'also-mine']) {
      expect(await (await fetch(`${server.address}/ai/v1/models/${name}`, { headers })).json()).toMatchObject({
        id: 'mine',
      })
    }
  })

  test('an added composite answers, its components in the order in which they were named', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    const added = ['models', 'add', 'any', '--composite', 'demo-chat, demo-vision', '--strategy', 'priority']
    const model = await sluice.json<{ composite: { components: { priority: number }[] } }>(added)
    expect(model.composite).toMatchObject({ strategy: 'priority', components: [{ priority: 0 }, { priority: 1 }] })
    const headers = { authorization: `Bearer ${server.started.first_start!.api_key}` }
    expect(await (await fetch(`${server.address}/ai/v1/models/any`, { headers })).json()).toMatchObject({
      owned_by: 'sluice',
    })
    expect((await sluice.run(['models', 'list'])).stdout).toMatch(/any +composite/)
  })

  test('a model is served by a provider or by other models, and by one of the two', async () => {
    await using sluice = new Installation()
    const wrong = [[], ['--provider', 'practice', '--composite', 'demo-chat'], ['--strategy', 'priority']]
    const answers = await Promise.all(wrong.map((flags) => sluice.run(['models', 'add', 'other', ...flags])))
    expect(answers.map(({ code }) => code)).toEqual([2, 2, 2])
  })

  test('a mistyped provider is told with the nearest one', async () => {
    await using sluice = new Installation()
    await sluice.start()
    expect(await sluice.run(['providers', 'test', 'practise'])).toMatchObject({
      code: 1,
      lines: ['There is no provider "practise". Did you mean practice?'],
    })
  })
})
