/** `sluice batch …` against a running server. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Installation } from './sluice.ts'

test('prompts of a file become results in another, and the batch is listed', async () => {
  await using sluice = new Installation()
  await sluice.start()
  const [prompts, out] = [join(sluice.directory, 'prompts.txt'), join(sluice.directory, 'out.jsonl')]
  await Bun.write(prompts, 'Hello!\n\nHow are you?\n')
  const run = await sluice.run(['batch', 'run', prompts, '--model', 'demo-chat', '--output', out])
  expect([run.code, run.stdout.trim()]).toEqual([0, 'completed: 2 of 2 answered, 0 failed.'])
  const lines = (await Bun.file(out).text()).trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id)).toEqual([
    'line-1',
    'line-3',
  ])
  expect(await Bun.file(`${out}.batch`).exists()).toBe(false)
  const [batch] = await sluice.json<{ readonly id: string; readonly status: string }[]>(['batch', 'list'])
  expect(batch?.status).toBe('completed')
  expect((await sluice.run(['batch', 'cancel', String(batch?.id)])).code).toBe(1)
})

test('a run that was broken off goes on with its batch; lines at fault are named', async () => {
  await using sluice = new Installation()
  await sluice.start()
  const [requests, out] = [join(sluice.directory, 'requests.jsonl'), join(sluice.directory, 'out.jsonl')]
  await Bun.write(requests, '{"custom_id": "a"}\nnonsense')
  const failed = await sluice.run(['batch', 'run', requests, '--output', out])
  expect([failed.code, failed.lines.length]).toEqual([1, 2])
  expect(failed.lines[1]).toStartWith('line 2: ')
  const [{ id }] = await sluice.json<[{ readonly id: string }]>(['batch', 'list'])
  await Bun.write(`${out}.batch`, `${id}\n`)
  const again = await sluice.run(['batch', 'run', requests, '--output', out])
  expect(again.stdout).toBe(failed.stdout)
  expect(await sluice.json<unknown[]>(['batch', 'list'])).toHaveLength(1)
  expect((await sluice.run(['batch', 'run', requests])).code).toBe(2)
})
