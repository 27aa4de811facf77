/** Caps, priorities and the queue by flags and by the configuration file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { Installation } from './sluice.ts'

interface Capped {
  readonly name: string
  readonly max_concurrent: number | null
}

const capsOf = async (sluice: Installation, noun: 'models' | 'providers'): Promise<Record<string, number | null>> =>
  Object.fromEntries((await sluice.json<Capped[]>([noun, 'list'])).map((each) => [each.name, each.max_concurrent]))

test('caps of models and providers are set, changed and taken away by flags', async () => {
  await using sluice = new Installation()
  await sluice.start()
  for (const [noun, name] of [
    ['models', 'demo-chat'],
    ['providers', 'practice'],
  ] as const) {
    for (const [flag, expected] of [
      ['8', 8],
      ['1000000', 1_000_000],
      ['any', null],
    ] as const) {
      await sluice.json([noun, 'set', name, '--max-concurrent', flag])
      expect((await capsOf(sluice, noun))[name]).toBe(expected)
    }
    for (const wrong of ['0', '-1', '1.5', 'many', '']) {
      const { code } = await sluice.run([noun, 'set', name, `--max-concurrent=${wrong}`])
      expect([noun, wrong, code]).toEqual([noun, wrong, 2])
    }
    expect((await capsOf(sluice, noun))[name]).toBeNull()
  }
}, 120_000)

test('the priority of a key is set when it is created, and an unknown class is refused', async () => {
  await using sluice = new Installation()
  await sluice.start()
  const user = ['--user', 'admin@localhost']
  for (const priority of ['interactive', 'normal', 'batch']) {
    const key = await sluice.json<object>(['keys', 'create', priority, ...user, '--priority', priority])
    expect(key).toMatchObject({ priority })
  }
  expect((await sluice.run(['keys', 'create', 'x', ...user, '--priority', 'urgent'])).code).toBe(1)
}, 60_000)

test('caps and the queue of a configuration file are in force, and a wrong one is named by its path', async () => {
  await using sluice = new Installation()
  const file = join(sluice.directory, 'sluice.yaml')
  const written = (ofProvider: string, ofModel: string): void =>
    writeFileSync(
      file,
      `limits: {queue: {length: 7, timeout_seconds: 9}}
providers:
  - name: lab
    base_url: http://127.0.0.1:1/v1
    max_concurrent: ${ofProvider}
    models: [{name: capped, max_concurrent: ${ofModel}}, {name: free}]
`,
    )
  written('12', '3')
  await sluice.start()
  expect(await capsOf(sluice, 'providers')).toMatchObject({ lab: 12 })
  expect(await capsOf(sluice, 'models')).toMatchObject({ capped: 3, free: null })
  const settings = await sluice.json<{ name: string; value: unknown }[]>(['settings', 'list'])
  const valueOf = (name: string): unknown => settings.find((each) => each.name === name)?.value
  expect([valueOf('limits.queue.length'), valueOf('limits.queue.timeout_seconds')]).toEqual([7, 9])
  for (const wrong of ['0', '-3', 'many']) {
    written('12', wrong)
    const { code, stderr } = await sluice.run(['check-config'])
    expect([wrong, code, stderr]).toEqual([wrong, 2, expect.stringContaining('max_concurrent')])
  }
}, 60_000)
