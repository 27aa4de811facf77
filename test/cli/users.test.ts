/** Users by the command line. */
import { describe, expect, test } from 'bun:test'
import { Installation, type RunningServer } from './sluice.ts'

interface User {
  readonly id: string
  readonly password: string | null
}

async function signIn(server: RunningServer, email: string, password: string, own?: string): Promise<number> {
  const response = await fetch(`${server.address}/admin/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, new_password: own }),
  })
  await response.arrayBuffer()
  return response.status
}

const ada = 'ada@example.org'

describe('users', () => {
  test('an added user signs in with the password that was printed', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { stdout } = await sluice.run(['users', 'add', ada, '--name', 'Ada', '--role', 'admin'])
    const password = /shown this once: (\S+)/.exec(stdout)?.[1] ?? ''
    expect(await signIn(server, ada, password)).toBe(403)
    expect(await signIn(server, ada, password, 'a password of my own')).toBe(200)
    expect(await signIn(server, ada, password)).toBe(401)
    expect(await signIn(server, ada, 'a password of my own')).toBe(200)
    expect((await sluice.run(['users', 'list'])).stdout).toMatch(/^ada@example\.org\s+Ada\s+admin\s+person\s+enabled$/m)
  })

  test('a service account is added without a password, listed by kind, and a person becomes one', async () => {
    await using sluice = new Installation()
    await sluice.json(['groups', 'add', 'builders'])
    const added = await sluice.run(['users', 'add', 'ci@example.org', '--service', '--group', 'builders'])
    expect(added.stdout).toBe('Added ci@example.org.\n')
    const services = async () =>
      (await sluice.json<{ email: string }[]>(['users', 'list', '--service'])).map(({ email }) => email)
    expect(await services()).toEqual(['ci@example.org'])
    await sluice.json(['users', 'add', ada, '--no-password'])
    await sluice.json(['users', 'set', ada, '--kind', 'service'])
    expect(await services()).toEqual(['ci@example.org', ada])
    expect((await sluice.run(['users', 'reset-password', ada])).code).toBe(1)
  })

  test('a password from standard input is used and not printed', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { stdout, stderr } = await sluice.run(
      ['users', 'add', ada, '--password-stdin', '--permanent'],
      'a password of mine\n',
    )
    expect(stdout + stderr).not.toContain('a password of mine')
    expect(await signIn(server, ada, 'a password of mine')).toBe(200)
  })

  test('a user is changed and removed, and a key of a removed user is refused', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    await sluice.json(['users', 'add', ada, '--no-password'])
    const { secret } = await sluice.json<{ secret: string }>(['keys', 'create', 'k', '--user', ada])
    const ask = () => fetch(`${server.address}/ai/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    const renamed = 'ada@example.com'
    await sluice.json(['users', 'set', ada, '--name', 'Ada L.', '--role', 'admin', '--email', renamed])
    expect((await sluice.run(['users', 'list'])).stdout).toMatch(
      /^ada@example\.com\s+Ada L\.\s+admin\s+person\s+enabled$/m,
    )
    expect((await ask()).status).toBe(200)
    expect((await sluice.run(['users', 'remove', ada])).code).toBe(1)
    await sluice.json(['users', 'remove', renamed])
    expect((await ask()).status).toBe(401)
    expect((await sluice.run(['users', 'list'])).stdout).not.toContain(renamed)
  })

  test("a disabled user's keys and password are refused at once, and work again when enabled", async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { password } = await sluice.json<User>(['users', 'add', ada, '--permanent'])
    const { secret } = await sluice.json<{ secret: string }>(['keys', 'create', 'k', '--user', ada])
    expect(await sluice.run(['users', 'disable', ada])).toMatchObject({ code: 0, stdout: `${ada} is disabled.\n` })
    expect(await server.statusWith(secret)).toBe(401)
    expect(await signIn(server, ada, password!)).toBe(401)
    await sluice.run(['users', 'enable', ada])
    expect(await server.statusWith(secret)).toBe(200)
    expect(await signIn(server, ada, password!)).toBe(200)
  })

  test('a reset password replaces the old one, also while no server runs', async () => {
    await using sluice = new Installation()
    const first = await sluice.start(['--json'])
    const old = first.started.first_start!.password
    await first.stop()
    const { password } = await sluice.json<User>(['users', 'reset-password', 'admin@localhost'])
    const server = await sluice.start()
    expect(await signIn(server, 'admin@localhost', old)).toBe(401)
    expect(await signIn(server, 'admin@localhost', password!)).toBe(403)
    expect(await signIn(server, 'admin@localhost', password!, 'a password of my own')).toBe(200)
  })

  test('the last administrator cannot be disabled', async () => {
    await using sluice = new Installation()
    await sluice.start()
    expect(await sluice.run(['users', 'disable', 'admin@localhost'])).toMatchObject({ code: 1, stdout: '' })
  })

  test('an address that is taken is refused by its name', async () => {
    await using sluice = new Installation()
    await sluice.start()
    expect(await sluice.run(['users', 'add', 'ADMIN@localhost'])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('admin@localhost')],
    })
  })
})
