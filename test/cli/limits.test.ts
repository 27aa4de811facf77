import { expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

test('rate limits are added, listed and removed one by one', async () => {
  await using installation = new Installation()
  const [users, models] = ['user:* requests 60/minute', 'model:* tokens 1000/10s burst 50']
  await installation.json(['limits', 'add', users])
  await installation.json(['limits', 'add', models])
  await installation.json(['limits', 'remove', users])
  expect((await installation.run(['limits', 'remove', users])).code).toBe(1)
  expect(await installation.json<string[]>(['limits', 'list'])).toEqual([models])
}, 60_000)

test('limits that several people add and remove at once are all there, and none that was removed', async () => {
  await using installation = new Installation()
  await installation.start()
  const rules = Array.from({ length: 6 }, (_, at) => `user:* requests ${at + 1}/minute`)
  await Promise.all(rules.map((rule) => installation.json(['limits', 'add', rule])))
  expect((await installation.json<string[]>(['limits', 'list'])).toSorted()).toEqual(rules)
  await Promise.all(rules.slice(1).map((rule) => installation.json(['limits', 'remove', rule])))
  expect(await installation.json<string[]>(['limits', 'list'])).toEqual(rules.slice(0, 1))
}, 60_000)

interface OwnLimit {
  readonly user: string
  readonly model: string
  readonly limit: number
}

test("accounts' own in-flight limits are set, listed and taken back, each alone", async () => {
  await using installation = new Installation()
  await installation.start()
  const emails = ['ada@example.org', 'bob@example.org']
  for (const email of emails) await installation.json(['users', 'add', email, '--no-password'])
  const listed = async () =>
    (await installation.json<OwnLimit[]>(['limits', 'in-flight'])).map(({ user, model, limit }) => [user, model, limit])
  expect(await listed()).toEqual([])
  for (const [at, email] of emails.entries())
    await installation.json(['limits', 'set-in-flight', email, 'demo-chat', String(at + 3)])
  expect(await listed()).toEqual([
    ['ada@example.org', 'demo-chat', 3],
    ['bob@example.org', 'demo-chat', 4],
  ])
  await installation.json(['limits', 'set-in-flight', 'ada@example.org', 'demo-chat', 'model'])
  expect(await listed()).toEqual([['bob@example.org', 'demo-chat', 4]])
  for (const wrong of ['many', '-1', '1.5', ''])
    expect([
      wrong,
      (await installation.run(['limits', 'set-in-flight', 'bob@example.org', 'demo-chat', wrong])).code,
    ]).toEqual([wrong, 2])
  expect((await installation.run(['limits', 'set-in-flight', 'bob@example.org', 'demo-chta', '1'])).stderr).toContain(
    'demo-chat',
  )
}, 60_000)
