/** `sluice batch run` that is killed, started again, and cancelled by another. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gate, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'
import { Installation } from './sluice.ts'

const sluice = new Installation()
let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
  upstream.script((request) =>
    Buffer.from(request.body).includes('slow') ? [gate, ...openAiAnswer(request)] : openAiAnswer(request),
  )
  await sluice.start()
  await sluice.json(['providers', 'add', 'up', '--base-url', upstream.url])
})
afterAll(async () => {
  await upstream.close()
  await sluice[Symbol.asyncDispose]()
})

interface Listed {
  readonly id: string
  readonly status: string
  readonly metadata: Readonly<Record<string, string>>
  readonly request_counts: { readonly completed: number }
}

async function newest(): Promise<Listed | undefined> {
  return (await sluice.json<readonly Listed[]>(['batch', 'list']))[0]
}

/** A run of three prompts, two of which wait, once the other is answered. */
async function begunRun(name: string) {
  const [prompts, out] = [join(sluice.directory, `${name}.txt`), join(sluice.directory, `${name}.jsonl`)]
  await Bun.write(prompts, 'quick\nslow one\nslow two')
  const args = ['batch', 'run', prompts, '--model', 'upstream-model', '--output', out]
  const child = sluice.begin(args)
  let batch: Listed | undefined
  const note = (): string => readFileSync(`${out}.batch`, 'utf8').trim()
  await until(async () => {
    batch = await newest()
    return batch?.request_counts.completed === 1 && batch.status === 'in_progress' && note() === batch.id
  })
  return { child, args, out, batch: batch!, note }
}

/** `custom_id` of each line. */
async function idsIn(path: string): Promise<readonly string[]> {
  const lines = (await Bun.file(path).text()).trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id)
}

test('a run that was killed goes on with the same batch, also when it did not learn its id', async () => {
  const { child, args, out, batch, note } = await begunRun('killed')
  child.kill('SIGKILL')
  await child.exited
  // Killed a moment earlier, it has written the mark alone.
  await Bun.write(`${out}.batch`, `${batch.metadata['sluice_run']}\n`)
  const again = sluice.begin(args)
  await until(() => note() === batch.id)
  upstream.release(2)
  expect([await again.exited, (await again.stdout.text()).trim()]).toEqual([0, 'completed: 3 of 3 answered, 0 failed.'])
  expect(await idsIn(out)).toEqual(['line-1', 'line-2', 'line-3'])
  expect(await sluice.json<unknown[]>(['batch', 'list'])).toHaveLength(1)
}, 60_000)

test('a run whose batch is cancelled saves what is done, and says so', async () => {
  const { child, out, batch } = await begunRun('cancelled')
  const cancel = await sluice.run(['batch', 'cancel', batch.id])
  expect([cancel.code, cancel.stdout.trim()]).toEqual([0, `${batch.id} is cancelling.`])
  expect([await child.exited, (await child.stdout.text()).trim()]).toEqual([1, 'cancelled: 1 of 3 answered, 2 failed.'])
  expect([await idsIn(out), await idsIn(`${out}.errors`)]).toEqual([['line-1'], ['line-2', 'line-3']])
  expect((await newest())?.status).toBe('cancelled')
  const unknown = await sluice.run(['batch', 'cancel', 'batch_none'])
  expect([unknown.code, unknown.stderr.includes('batch_none')]).toEqual([1, true])
}, 60_000)

test('a run that is asked to stop leaves its batch, and says how to go on', async () => {
  const { child, args, batch } = await begunRun('stopped')
  child.kill('SIGINT')
  expect([await child.exited, (await child.stderr.text()).includes(`Batch ${batch.id} goes on.`)]).toEqual([1, true])
  // Those of the cancelled batch may still wait, too.
  upstream.release(4)
  expect((await sluice.run(args)).stdout.trim()).toBe('completed: 3 of 3 answered, 0 failed.')
}, 60_000)
