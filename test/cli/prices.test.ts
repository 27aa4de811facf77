import { expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

test('the costs of a period are computed again, and what is missing is said', async () => {
  await using installation = new Installation()
  const period = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-02-01T00:00:00Z']
  const nothing = { records: 0, changed: 0, skipped: 0, before: 0, after: 0 }
  const all = await installation.json(['prices', 'recompute', ...period, '--dry-run'])
  expect(all).toEqual({ ...nothing, dry_run: true })
  const said = await installation.run(['prices', 'recompute', ...period])
  expect(said.stdout).toContain('0 of 0 requests have another cost.')
  expect((await installation.run(['prices', 'recompute', '--from', '2026-01-01T00:00:00Z'])).code).toBe(2)
  expect((await installation.run(['prices', 'recompute', ...period, '--model', 'none'])).code).toBe(1)
}, 60_000)
