import { expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

test('rate limits are added, listed and removed one by one, and a rule of another form is refused', async () => {
  await using installation = new Installation()
  const [users, models] = ['user:* requests 60/minute', 'model:* tokens 1000/10s burst 50']
  expect((await installation.run(['limits', 'list'])).stdout).toContain('There are no rate limits.')
  await installation.json(['limits', 'add', users])
  await installation.json(['limits', 'add', models])
  const refused = await installation.run(['limits', 'add', 'user:* requests sixty'])
  expect([refused.code, refused.stderr.includes('user:* requests 60/minute')]).toEqual([1, true])
  expect(await installation.json<string[]>(['limits', 'list'])).toEqual([users, models])
  await installation.json(['limits', 'remove', users])
  expect((await installation.run(['limits', 'remove', users])).code).toBe(2)
  expect(await installation.json<string[]>(['limits', 'list'])).toEqual([models])
})
