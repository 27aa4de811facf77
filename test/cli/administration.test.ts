/** Groups, settings, models and providers by the command line, and the API for the rest. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

let sluice: Installation
beforeAll(async () => {
  sluice = new Installation({ LAB_KEY: 'canary-credential', TOKEN: 'canary-token' })
  await sluice.start()
})
afterAll(() => sluice[Symbol.asyncDispose]())

interface Named {
  readonly id: string
  readonly name: string
}

describe('groups', () => {
  test('are added, changed, listed and removed by name', async () => {
    await sluice.json(['groups', 'add', 'lab', '--description', 'The lab.'])
    await sluice.json(['groups', 'set', 'lab', '--name', 'research'])
    expect((await sluice.run(['groups', 'list'])).stdout).toMatch(/^research\s+The lab\./m)
    await sluice.json(['groups', 'remove', 'research'])
    expect((await sluice.run(['groups', 'list'])).stdout).not.toContain('research')
  })

  test('are filled and emptied by the addresses of users', async () => {
    await sluice.json(['users', 'add', 'ada@example.org', '--no-password'])
    await sluice.json(['groups', 'add', 'team'])
    await sluice.json(['groups', 'add-members', 'team', 'ada@example.org', 'admin@localhost'])
    await sluice.json(['groups', 'remove-members', 'team', 'admin@localhost'])
    expect(await sluice.json(['groups', 'members', 'team'])).toMatchObject([{ email: 'ada@example.org' }])
  })

  test('nobody is added when one of the users does not exist', async () => {
    await sluice.json(['groups', 'add', 'empty'])
    expect(await sluice.run(['groups', 'add-members', 'empty', 'admin@localhost', 'nobody@example.org'])).toMatchObject(
      {
        code: 1,
        lines: [expect.stringContaining('nobody@example.org')],
      },
    )
    expect(await sluice.json(['groups', 'members', 'empty'])).toEqual([])
  })
})

describe('settings', () => {
  test('are stored, shown with their source, and reset', async () => {
    expect((await sluice.run(['settings', 'set', 'auth.oidc.admin_groups', 'admins, ops'])).stdout).toBe(
      'auth.oidc.admin_groups is admins, ops.\n',
    )
    expect((await sluice.run(['settings', 'list'])).stdout).toMatch(
      /^auth\.oidc\.admin_groups\s+admins, ops\s+admin page$/m,
    )
    expect((await sluice.run(['settings', 'reset', 'auth.oidc.admin_groups'])).stdout).toContain('(default)')
  })

  test('what cannot be stored is refused in one sentence', async () => {
    for (const [name, value] of [
      ['server.port', '1'],
      ['gateway.idle_seconds', 'soon'],
      ['no.such', '1'],
    ] as const)
      expect(await sluice.run(['settings', 'set', name, value])).toMatchObject({ code: 1, lines: [expect.any(String)] })
  })
})

describe('models', () => {
  test('are taken out of use, put back and removed', async () => {
    expect((await sluice.run(['models', 'disable', 'demo-vision'])).stdout).toBe('demo-vision is disabled.\n')
    expect((await sluice.run(['models', 'list'])).stdout).toMatch(/^demo-vision .*inactive$/m)
    await sluice.json(['models', 'enable', 'demo-vision'])
    expect((await sluice.run(['models', 'remove', 'demo-vision', 'no-such-model'])).code).toBe(1)
    expect((await sluice.run(['models', 'remove', 'demo-vision', 'demo-embed'])).stdout).toBe(
      'Removed demo-vision.\nRemoved demo-embed.\n',
    )
    expect((await sluice.json<Named[]>(['models', 'list'])).map(({ name }) => name)).toEqual(['demo-chat'])
  })
})

describe('providers', () => {
  test('are changed with all that their form has, and no secret goes to a new address', async () => {
    const add = ['providers', 'add', 'cloud', '--kind', 'bedrock', '--credential-env', 'LAB_KEY', '--no-models']
    await sluice.json([
      ...add,
      '--option',
      'region=eu-central-1',
      '--header',
      'x-team=lab',
      '--timeout',
      'idle_seconds=5',
    ])
    const [added] = (await sluice.json<Named[]>(['providers', 'list'])).filter(({ name }) => name === 'cloud')
    expect(added).toMatchObject({
      has_credential: true,
      options: { region: 'eu-central-1' },
      header_names: ['x-team'],
      timeouts: { idle_seconds: 5 },
    })
    const change = ['providers', 'set', 'cloud', '--option', 'region=us-east-1', '--option-env', 'session_token=TOKEN']
    expect(await sluice.json([...change, '--header', 'x-team=', '--disable'])).toMatchObject({
      options: { region: 'us-east-1', session_token: '[secret]' },
      header_names: [],
      enabled: false,
    })
    const moved = ['providers', 'set', 'cloud', '--base-url', 'http://127.0.0.1:9/v1']
    expect(await sluice.run(moved)).toMatchObject({ code: 1, lines: [expect.stringContaining('"credential"')] })
    const given = ['--credential-env', 'LAB_KEY', '--option', 'session_token=']
    const { stdout, stderr } = await sluice.run([...moved, ...given])
    expect(stdout).toBe('Changed cloud.\n')
    expect(stdout + stderr).not.toContain('canary')
  })

  test('an address without /v1 is tried with it, and that is said', async () => {
    using upstream = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        new URL(url).pathname === '/v1/models'
          ? Response.json({ object: 'list', data: [{ id: 'alpha' }] })
          : new Response('no', { status: 404 }),
    })
    const address = `http://127.0.0.1:${upstream.port}`
    const added = await sluice.run(['providers', 'add', 'bare', '--base-url', `${address}/`])
    expect(added.stdout).toContain('Added bare with 1 model')
    expect(added.stderr).toContain(`${address}/v1`)
    const [bare] = (await sluice.json<Named[]>(['providers', 'list'])).filter(({ name }) => name === 'bare')
    expect(bare).toMatchObject({ base_url: `${address}/v1` })
  })
})

describe('api', () => {
  test('sends any request of the admin API, with a body from the command line or from standard input', async () => {
    const made = await sluice.json<Named>(['api', 'post', '/groups', '{"name":"scripted"}'])
    const changed = await sluice.run(['api', 'PATCH', `/groups/${made.id}`, '-'], '{"description":"By a script."}')
    expect(JSON.parse(changed.stdout)).toMatchObject({ name: 'scripted', description: 'By a script.' })
    expect(await sluice.run(['api', 'DELETE', `/groups/${made.id}`])).toMatchObject({ code: 0, stdout: '' })
    expect(await sluice.run(['api', 'GET', `/groups/${made.id}`])).toMatchObject({
      code: 1,
      lines: ['There is no such group.'],
    })
  })

  test.each([
    [['api', 'BREW', '/models'], 'is not a method'],
    [['api', 'GET', 'models'], 'begins with a slash'],
    [['api', 'POST', '/models', '{'], 'is not JSON'],
  ])('%p is refused before anything is sent', async (args, problem) => {
    expect(await sluice.run(args)).toMatchObject({ code: 2, lines: [expect.stringContaining(problem)] })
  })
})
