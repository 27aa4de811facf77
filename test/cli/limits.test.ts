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
