/** `sluice exports` lists exports, writes their files, and has them made again. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'
import { until } from '#test/support/until.ts'
import { Installation } from './sluice.ts'

test('exports are listed, their files are written, and a restatement is the next version', async () => {
  await using gateway = await startGateway()
  await using sluice = new Installation()
  const yesterday = Date.now() - 86_400_000
  await gateway.store.usage.insertMany([aUsage({ at: yesterday, modelServed: 'plain' })])
  await gateway.operate('PUT', '/settings/exports.schedule', { value: 'daily' })
  gateway.advance(86_400_000)
  await until(async () => (await gateway.store.exports.list({ limit: 1 })).items[0]?.state === 'done')
  const access = ['--url', gateway.url, '--key', gateway.keys.admin.secret]
  const [first] = await sluice.json<{ id: string; files: { name: string }[] }[]>(['exports', 'list', ...access])
  const shown = await sluice.json<{ now: object; totals: object }>(['exports', 'get', first!.id, ...access])
  expect(shown.now).toEqual(shown.totals)
  const written = await sluice.json(['exports', 'get', first!.id, '--format', 'csv', ...access])
  expect(written).toEqual({ file: first!.files[0]!.name })
  expect(readdirSync(sluice.directory)).toContain(first!.files[0]!.name)
  expect(readFileSync(join(sluice.directory, first!.files[0]!.name), 'utf8')).toStartWith('date,user_id,')
  expect(await sluice.json(['exports', 'restate', first!.id, ...access])).toMatchObject({ version: 2 })
  const missing = await sluice.run(['exports', 'get', first!.id, '--format', 'xlsx', ...access])
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no file of the format')])
}, 60_000)
