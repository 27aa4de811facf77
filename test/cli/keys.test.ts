/** Keys by the command line: with the server, without it, and on another machine. */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Installation } from './sluice.ts'

interface Key {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly secret: string
}

const owner = ['--user', 'admin@localhost']

describe('with a running server', () => {
  test('a created key works at once and a deleted one is refused at once', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { stdout } = await sluice.run(['keys', 'create', 'ci', ...owner])
    const secret = stdout.trim()
    expect(await server.statusWith(secret)).toBe(200)
    const deleted = await sluice.run(['keys', 'delete', secret.split('_')[0]!])
    expect(deleted).toMatchObject({ code: 0, stdout: 'Deleted one key.\n' })
    expect(await server.statusWith(secret)).toBe(401)
  })

  test('a rotated key has another secret, and the old one works as long as was said', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { secret, id } = await sluice.json<Key>(['keys', 'create', 'ci', ...owner])
    const { stdout, stderr } = await sluice.run(['keys', 'rotate', secret.split('_')[0]!, '--overlap-hours', '48'])
    const next = stdout.trim()
    expect([await server.statusWith(secret), await server.statusWith(next)]).toEqual([200, 200])
    expect(stderr).toContain('works until')
    const last = await sluice.json<Key>(['keys', 'rotate', id, '--overlap-hours', '0'])
    expect(await Promise.all([secret, next, last.secret].map((each) => server.statusWith(each)))).toEqual([
      401, 401, 200,
    ])
    expect((await sluice.run(['keys', 'rotate', id, '--overlap-hours', '721'])).code).toBe(2)
  })

  test('the secret is shown by its creation only', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const { secret, prefix } = await sluice.json<Key>(['keys', 'create', 'ci', ...owner])
    const text = await sluice.run(['keys', 'list'])
    const json = await sluice.run(['keys', 'list', '--json'])
    expect(text.stdout).toContain(prefix)
    expect(text.stdout + json.stdout).not.toContain(secret.slice(prefix.length))
  })

  test('a key for one model lists only that one', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { secret } = await sluice.json<Key>([
      'keys',
      'create',
      'one',
      ...owner,
      '--model',
      'demo-embed',
      '--area',
      'inference',
    ])
    const response = await fetch(`${server.address}/ai/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    expect(await response.json()).toMatchObject({ data: [{ id: 'demo-embed' }] })
  })

  test('nothing is deleted when one of the keys does not exist', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const { secret, id } = await sluice.json<Key>(['keys', 'create', 'ci', ...owner])
    const refused = await sluice.run(['keys', 'delete', id, 'sk-slu-00000000'])
    expect(refused).toMatchObject({ code: 1, stdout: '', lines: [expect.stringContaining('sk-slu-00000000')] })
    expect(await server.statusWith(secret)).toBe(200)
  })

  test('what the API refuses is told in its words with exit code 1', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const unknown = await sluice.run(['keys', 'create', 'ci', '--user', 'nobody@example.org'])
    expect(unknown).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('There is no user "nobody@example.org"')],
    })
    const refused = await sluice.run(['keys', 'create', 'ci', ...owner, '--model', 'no-such-model'])
    expect(refused).toMatchObject({ code: 1, lines: [expect.stringContaining('scopes.models')] })
  })
})

describe('without a running server', () => {
  test('a created key works at the next start and a deleted one is refused', async () => {
    await using sluice = new Installation()
    await (await sluice.start()).stop()
    const kept = await sluice.json<Key>(['keys', 'create', 'kept', ...owner])
    const gone = await sluice.json<Key>(['keys', 'create', 'gone', ...owner])
    expect(await sluice.json(['keys', 'delete', gone.id])).toEqual({ deleted: [gone.id] })
    const server = await sluice.start()
    expect(await server.statusWith(kept.secret)).toBe(200)
    expect(await server.statusWith(gone.secret)).toBe(401)
  })

  test('the socket of a killed server is not in the way', async () => {
    await using sluice = new Installation()
    await (await sluice.start()).kill()
    expect(existsSync(join(sluice.dataDirectory, 'control.sock'))).toBe(true)
    expect(await sluice.json<Key[]>(['keys', 'list'])).toMatchObject([{ name: 'First key' }])
  })

  test('a command before the first start makes no administrator whose password nobody saw', async () => {
    await using sluice = new Installation()
    expect(await sluice.json(['users', 'list'])).toEqual([])
    const server = await sluice.start(['--json'])
    expect(server.started.first_start).not.toBeNull()
  })
})

describe('on another machine', () => {
  test('an administrator works with address and key, and no local data is touched', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    const admin = await sluice.json<Key>(['keys', 'create', 'admin', ...owner, '--admin'])
    await using elsewhere = new Installation({ SLUICE_URL: server.address, SLUICE_API_KEY: admin.secret })
    const made = await elsewhere.json<Key>(['keys', 'create', 'remote', ...owner, '--area', 'inference'])
    expect(made).toMatchObject({ name: 'remote' })
    expect(existsSync(elsewhere.dataDirectory)).toBe(false)
  })

  test('neither the first key nor a key without --admin may administer', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    const { secret } = await sluice.json<Key>(['keys', 'create', 'lost', ...owner])
    for (const key of [server.started.first_start!.api_key, secret]) {
      await using elsewhere = new Installation({ SLUICE_URL: server.address, SLUICE_API_KEY: key })
      expect(await elsewhere.run(['keys', 'list'])).toMatchObject({
        code: 1,
        lines: [expect.stringContaining('scopes')],
      })
    }
  })

  test('a key that may administer is made for an administrator only', async () => {
    await using sluice = new Installation()
    await sluice.start()
    await sluice.run(['users', 'add', 'ada@example.org', '--no-password'])
    expect(await sluice.run(['keys', 'create', 'k', '--user', 'ada@example.org', '--admin'])).toMatchObject({
      code: 1,
      stdout: '',
      lines: [expect.stringContaining('ada@example.org is not an administrator')],
    })
  })

  test('an address where nothing listens is one sentence and exit code 2', async () => {
    await using elsewhere = new Installation({ SLUICE_URL: 'http://127.0.0.1:1', SLUICE_API_KEY: 'x' })
    const refused = await elsewhere.run(['keys', 'list'])
    expect(refused).toMatchObject({ code: 2, lines: ['The server at http://127.0.0.1:1 cannot be reached.'] })
  })
})
