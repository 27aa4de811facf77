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
    mkdirSync(other.dataDirectory)
    copyFileSync(file, join(other.dataDirectory, 'sluice.db'))
    copyFileSync(join(sluice.dataDirectory, 'secret.key'), join(other.dataDirectory, 'secret.key'))
    const restored = await other.start(['--json'])
    expect(restored.started.first_start).toBeNull()
    expect(await restored.statusWith(secret)).toBe(200)
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
