/**
 * The last release and the working tree side by side: three processes behind nginx are replaced one after the other, there and
 * back, under chats, streams and imports. The work is bench/upgrade.ts, here with as little load as shows it.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { nginx } from '#test/support/network/documented-nginx.ts'
import { lastRelease } from '../../bench/cluster/release.ts'

const missing = [
  [process.env['SLUICE_TEST_POSTGRES_URL'], 'SLUICE_TEST_POSTGRES_URL is not set'],
  [nginx, 'nginx is not installed'],
  [await lastRelease(), 'this clone does not have the last release'],
].find(([there]) => there === undefined || there === null)?.[1]
const reason = missing === undefined ? '' : ` (skipped: ${missing})`
const root = join(import.meta.dir, '../..')

test.skipIf(missing !== undefined)(
  `an upgrade from the last release and back fails no request, stream or import${reason}`,
  async () => {
    const few = ['50', '4', '100']
    const child = Bun.spawn([process.execPath, join(root, 'bench/upgrade.ts'), ...few], {
      cwd: root,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, stdout, stderr]).toEqual([0, expect.stringContaining('| requests answered |'), ''])
    expect(stdout).toContain('| documents not completed | 0 |')
    expect(stdout).not.toContain('FAILED')
  },
  240_000,
)
