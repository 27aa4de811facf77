import { expect, test } from 'bun:test'
import { signedBy, startReceiver } from '#test/support/webhooks/receiver.ts'
import { Installation } from './sluice.ts'

test('endpoints are added, tested, rotated, listed and removed; the secret is alone on stdout', async () => {
  await using sluice = new Installation({ SLUICE_WEBHOOKS_ALLOW_PRIVATE: 'true' })
  await using receiver = startReceiver()
  await sluice.start()
  expect((await sluice.run(['webhooks', 'list'])).stdout).toContain('There are no webhooks.')
  const added = await sluice.run(['webhooks', 'add', receiver.url, '--type', 'provider.up', '--type', 'provider.down'])
  expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)])
  const [{ id, types }] = await sluice.json<[{ id: string; types: string[] }]>(['webhooks', 'list'])
  expect(types).toEqual(['provider.up', 'provider.down'])
  expect((await sluice.run(['webhooks', 'test', id])).code).toBe(0)
  expect(signedBy(receiver.received[0]!, added.stdout.trim())).toBe(true)
  const rotated = await sluice.run(['webhooks', 'rotate', id, '--overlap-hours', '1'])
  receiver.answer = () => new Response(null, { status: 500 })
  const failed = await sluice.run(['webhooks', 'test', id])
  expect([failed.code, failed.stdout]).toEqual([1, 'The receiver answered with status 500.\n'])
  for (const { stdout } of [added, rotated]) expect(signedBy(receiver.received[1]!, stdout.trim())).toBe(true)
  expect((await sluice.run(['webhooks', 'deliveries', id])).stdout).toContain('There are no deliveries.')
  expect((await sluice.run(['webhooks', 'replay', id, '--since', '2026-01-01T00:00:00Z'])).stdout).toStartWith('0 ')
  expect((await sluice.run(['webhooks', 'replay', id])).code).toBe(2)
  expect((await sluice.run(['webhooks', 'add', 'nonsense'])).code).toBe(1)
  expect((await sluice.run(['webhooks', 'remove', id])).code).toBe(0)
  expect((await sluice.run(['webhooks', 'remove', id])).code).toBe(1)
}, 60_000)
