/** `sluice backup`. */
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Installation } from './sluice.ts'

describe('backup', () => {
  test('of a running server starts elsewhere with everything that was acknowledged before', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const { secret } = await sluice.json<{ secret: string }>(['keys', 'create', 'k', '--user', 'admin@localhost'])
    const file = join(sluice.directory, 'copy.db')
    expect((await sluice.run(['backup', file])).code).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    await using other = new Installation()
    mkdirSync(other.dataDirectory, { mode: 0o700 })
    copyFileSync(file, join(other.dataDirectory, 'sluice.db'))
    copyFileSync(join(sluice.dataDirectory, 'secret.key'), join(other.dataDirectory, 'secret.key'))
    const restored = await other.start(['--json'])
    expect(restored.started.first_start).toBeNull()
    expect(await restored.statusWith(secret)).toBe(200)
  })

  test('without the secret key starts only once its credentials may be forgotten, and no new key is made before', async () => {
    await using sluice = new Installation({ UPSTREAM_KEY: 'canary-credential' })
    await sluice.start()
    const added = ['providers', 'add', 'lab', '--base-url', 'http://127.0.0.1:9/v1', '--no-models']
    expect((await sluice.run([...added, '--credential-env', 'UPSTREAM_KEY'])).code).toBe(0)
    const file = join(sluice.directory, 'copy.db')
    await sluice.run(['backup', file])

    await using other = new Installation()
    mkdirSync(other.dataDirectory, { mode: 0o700 })
    copyFileSync(file, join(other.dataDirectory, 'sluice.db'))
    for (const command of [['start'], ['users', 'list']]) {
      expect(await other.run(command)).toMatchObject({
        code: 2,
        stdout: '',
        lines: [expect.stringMatching(/secret\.key is missing\. .*"sluice start --forget-credentials"/)],
      })
      expect(existsSync(join(other.dataDirectory, 'secret.key'))).toBe(false)
    }

    const restored = await other.start(['--forget-credentials', '--json'])
    expect(restored.started).toMatchObject({ first_start: null, forgotten_credentials: ['lab'] })
    const lab = (await other.json<{ name: string; has_credential: boolean }[]>(['providers', 'list'])).find(
      ({ name }) => name === 'lab',
    )
    expect(lab).toMatchObject({ has_credential: false })
    await restored.stop()
    expect((await other.start(['--json'])).started).toMatchObject({ forgotten_credentials: [] })
  })

  test('overwrites no file', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const file = join(sluice.directory, 'copy.db')
    await sluice.run(['backup', file])
    expect(await sluice.run(['backup', file])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('exists already')],
    })
  })

  test('of nothing is refused and makes no database', async () => {
    await using sluice = new Installation()
    expect(await sluice.run(['backup', 'copy.db'])).toMatchObject({
      code: 2,
      lines: [expect.stringContaining('There is no database')],
    })
    expect(existsSync(sluice.dataDirectory)).toBe(false)
  })
})
