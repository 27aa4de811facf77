/** A server that is killed between an event and its delivery delivers it after its restart, with the same id. */
import { expect, test } from 'bun:test'
import { Installation } from '#test/cli/sluice.ts'
import { until } from '#test/support/until.ts'
import { accepted, signedBy, startReceiver } from '#test/support/webhooks/receiver.ts'

test('kill -9 before, during and after attempts loses no event', async () => {
  await using sluice = new Installation({ SLUICE_WEBHOOKS_ALLOW_PRIVATE: 'true' })
  await using receiver = startReceiver(() => new Promise(() => undefined))
  let server = await sluice.start()
  const { secret, id } = await sluice.json<{ secret: string; id: string }>([
    'webhooks',
    'add',
    receiver.url,
    '--type',
    'document.completed',
  ])
  const names: string[] = []
  for (let round = 0; round < 3; round += 1) {
    const file = `${sluice.directory}/note-${round}.txt`
    await Bun.write(file, `A text of round ${round}.`)
    names.push(`note-${round}.txt`)
    const imported = await sluice.run(['import', file, '--category', 'notes'])
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)])
    // Round 0 is killed at once, the others in the middle of an attempt that hangs.
    if (round > 0) await until(() => receiver.underWay() > 0)
    await server.kill()
    if (round === 2) receiver.answer = accepted
    server = await sluice.start()
  }
  const delivered = () => sluice.json<{ state: string; event_id: string }[]>(['webhooks', 'deliveries', id])
  await until(async () => {
    const all = await delivered()
    return all.length === 3 && all.every(({ state }) => state === 'delivered')
  })
  const ids = new Set((await delivered()).map((each) => each.event_id))
  expect(new Set(receiver.received.map((each) => each.id))).toEqual(ids)
  expect(ids.size).toBe(3)
  for (const each of receiver.received) expect(signedBy(each, secret)).toBe(true)
  const told = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)
  expect(new Set(told)).toEqual(new Set(names))
}, 120_000)
