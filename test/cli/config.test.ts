/** `sluice check-config` and `sluice print-config`. */
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Installation } from './sluice.ts'

describe('check-config', () => {
  test('shows all problems of all sources at once, one line each, on stderr', async () => {
    await using sluice = new Installation({ SLUICE_LOG_LEVEL: 'loud' })
    writeFileSync(
      join(sluice.directory, 'sluice.yaml'),
      'server: {prot: 1, drain_seconds: soon}\nproviders: [{kind: openai}]\n',
    )
    const { code, stdout, lines } = await sluice.run(['check-config', '--set', 'server.port=70000'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(lines).toEqual([
      expect.stringMatching(/^server\.prot .*Did you mean server\.port\?$/),
      expect.stringMatching(/^server\.drain_seconds .*"soon"/),
      expect.stringMatching(/^log\.level \(SLUICE_LOG_LEVEL\): "loud"/),
      expect.stringMatching(/^server\.port \(--set\): "70000"/),
      expect.stringMatching(/^providers\[0\]\.name/),
    ])
  })

  test('says ok, writes nothing, and makes no data directory', async () => {
    await using sluice = new Installation()
    expect(await sluice.run(['check-config'])).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '' })
    expect([...new Bun.Glob('**').scanSync({ cwd: sluice.directory, onlyFiles: false })]).toEqual([])
  })

  test('reads the file that --config names', async () => {
    await using sluice = new Installation()
    writeFileSync(join(sluice.directory, 'other.yaml'), 'log: {level: debug}\n')
    expect(await sluice.json(['check-config', '--config', 'other.yaml'])).toEqual({ ok: true, file: 'other.yaml' })
    expect((await sluice.run(['check-config', '--config', 'missing.yaml'])).code).toBe(2)
  })
})

describe('print-config', () => {
  test('shows the value in force: a stored one with its source, unless something stronger fixes it', async () => {
    await using sluice = new Installation()
    const server = await sluice.start()
    await sluice.json(['settings', 'set', 'gateway.idle_seconds', '33'])
    await sluice.json(['settings', 'set', 'gateway.total_seconds', '44'])
    const shown = async () => (await sluice.run(['print-config', '--set', 'gateway.total_seconds=55'])).stdout
    expect(await shown()).toMatch(/^gateway\.idle_seconds\s+33\s+admin page$/m)
    expect(await shown()).toMatch(/^gateway\.total_seconds\s+55\s+--set$/m)
    await server.stop()
    expect(await shown()).toMatch(/^gateway\.idle_seconds\s+33\s+admin page$/m)
  })

  test('shows values with their sources, and no secret in either form', async () => {
    const key = Buffer.alloc(32, 5).toString('base64')
    await using sluice = new Installation({
      SLUICE_SECURITY_SECRET_KEY: key,
      SLUICE_DATABASE_URL: 'postgres://sluice:canary-password@db.example.org/sluice',
    })
    const text = await sluice.run(['print-config', '--set', 'log.level=warn'])
    const json = await sluice.run(['print-config', '--set', 'log.level=warn', '--json'])
    expect(text.stdout).toMatch(/^log\.level\s+warn\s+--set$/m)
    expect(text.stdout).toMatch(/^security\.secret_key\s+\[secret\]\s+SLUICE_SECURITY_SECRET_KEY$/m)
    expect(text.stdout).toContain('postgres://sluice:[secret]@db.example.org/sluice')
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ name: 'log.level', value: 'warn', source: '--set' }),
    )
    for (const { stdout, stderr } of [text, json]) {
      for (const secret of [key, 'canary-password']) expect(stdout + stderr).not.toContain(secret)
    }
  })
})
