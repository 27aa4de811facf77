/** A newcomer's first minutes: start, paste the printed line, start again. */
import { describe, expect, test } from 'bun:test'
import { fromSource, Installation } from '../cli/sluice.ts'

const secretsIn = (text: string) => ({
  password: /One-time password\s+(\S+)/.exec(text)?.[1] ?? '',
  apiKey: /API key\s+(sk-slu-\S+)/.exec(text)?.[1] ?? '',
  curl: /^\s+(curl .*)$/m.exec(text)?.[1] ?? '',
})
const noCurl = Bun.which('curl') === null ? ' (skipped: curl is not installed)' : ''

describe('the first start', () => {
  test.skipIf(noCurl !== '')(`prints a curl line that answers when it is pasted${noCurl}`, async () => {
    await using sluice = new Installation({}, fromSource)
    const server = await sluice.start()
    const { curl } = secretsIn(server.stdout)
    const pasted = Bun.spawn(['sh', '-c', curl], { stdout: 'pipe', stderr: 'ignore' })
    const answer = await pasted.stdout.text()
    expect(await pasted.exited).toBe(0)
    expect(answer.startsWith('data: {')).toBe(true)
    expect(answer.trimEnd().endsWith('data: [DONE]')).toBe(true)
  })

  test('prints a password that signs in and a key that calls the models it names', async () => {
    await using sluice = new Installation({}, fromSource)
    const server = await sluice.start()
    const { password, apiKey } = secretsIn(server.stdout)
    const signIn = (more: object): Promise<Response> =>
      fetch(`${server.address}/admin/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@localhost', password, ...more }),
      })
    // It is shown on a terminal, so it opens nothing before it is replaced.
    expect((await signIn({})).status).toBe(403)
    expect((await signIn({ new_password: 'a password of my own' })).status).toBe(200)
    expect((await signIn({})).status).toBe(401)
    const listed = await fetch(`${server.address}/ai/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
    const { data } = (await listed.json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(['demo-chat', 'demo-embed', 'demo-vision'])
    for (const { id } of data) expect(server.stdout).toContain(id)
  })

  test('prints to a pipe without colours', async () => {
    await using sluice = new Installation({}, fromSource)
    const server = await sluice.start()
    expect(server.stdout).not.toContain('\u001b')
  })

  test('is followed by a start that prints address and models and none of the secrets, and both still work', async () => {
    await using sluice = new Installation({}, fromSource)
    const first = await sluice.start()
    const { password, apiKey } = secretsIn(first.stdout)
    expect(password).toMatch(/^\w{4}(-\w{4}){3}$/)
    expect((await first.stop()).code).toBe(0)

    const second = await sluice.start()
    expect(second.stdout).toContain('demo-chat')
    expect(await second.statusWith(apiKey)).toBe(200)
    const { stdout, stderr } = await second.stop()
    for (const secret of [password, apiKey, apiKey.slice(0, 20), 'sk-slu-'])
      expect(stdout + stderr).not.toContain(secret)
  })

  test('leaves no secret in any file that it writes', async () => {
    await using sluice = new Installation({}, fromSource)
    const server = await sluice.start()
    const { password, apiKey } = secretsIn(server.stdout)
    await server.stop()
    let searched = 0
    for (const file of new Bun.Glob('**/*').scanSync({ cwd: sluice.dataDirectory, absolute: true, dot: true })) {
      const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
      expect([file, bytes.includes(password), bytes.includes(apiKey.slice(16))]).toEqual([file, false, false])
      searched += 1
    }
    expect(searched).toBeGreaterThan(1)
  })

  test('tells of vendors whose key is in the environment, adds none of them, and prints no key', async () => {
    await using sluice = new Installation(
      { SLUICE_DISCOVERY_ENABLED: 'true', MISTRAL_API_KEY: 'canary-vendor-key' },
      fromSource,
    )
    const server = await sluice.start()
    expect(server.stdout).toMatch(/Mistral \(MISTRAL_API_KEY is set\)\s+npx sluice providers add mistral$/m)
    expect(await sluice.json(['providers', 'list'])).toMatchObject([{ name: 'practice' }])
    const { stdout, stderr } = await server.stop()
    expect(stdout + stderr).not.toContain('canary-vendor-key')
  })

  test('with --json prints one line of JSON that holds the same', async () => {
    await using sluice = new Installation({}, fromSource)
    const server = await sluice.start(['--json'])
    expect(server.stdout.trimEnd().split('\n')).toHaveLength(1)
    const { first_start: first, models } = server.started
    expect(first?.email).toBe('admin@localhost')
    expect(await server.statusWith(first!.api_key)).toBe(200)
    expect(models).toContain('demo-chat')
  })
})
