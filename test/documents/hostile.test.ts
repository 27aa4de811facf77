/** Files that are made to hurt: each ends with its code, and everybody else is served meanwhile. */
import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { hostileFiles, type HostileFile } from '#test/support/documents/hostile-files.ts'

const app = documentsOfFile({ set: ['documents.max_unpacked_bytes=8388608', 'documents.reader_processes=2'] })
const files = hostileFiles({ unpackedBytes: 16_000_000, contentStreamBytes: 30_000_000 })

/** Imports it and waits for its end, as `ends` has it. */
async function endOf({ name, bytes }: HostileFile): Promise<string> {
  const item = { name, category: 'hostile', bytes: Buffer.from(bytes).toString('base64') }
  const { accepted, invalid } = await app().answer([item], { wait_for_completion: true })
  if (accepted.length === 0) return `invalid ${invalid[0]?.reason?.code}`
  const { state, error, timestamps } = await app().record(accepted[0]?.doc_id ?? '')
  expect(Object.keys(timestamps)).toContain('reading')
  if (error !== null) expect(error.message).not.toMatch(/\/(tmp|work|home|proc)\/|\n {4}at /)
  return error === null ? state : `${state} ${error.code}`
}

const ends = new Map<HostileFile, string>()
const meanwhile: number[] = []
beforeAll(async () => {
  let isOver = false
  const all = Promise.all(files.map(async (file) => ends.set(file, await endOf(file))))
  const over = all.finally(() => (isOver = true))
  // One of each after the other, as long as files are read.
  while (!isOver) {
    for (const response of [await app().request('GET', '/healthz', { key: null }), await app().chat()]) {
      meanwhile.push(response.status)
      await response.arrayBuffer()
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await over
}, 60_000)

describe('a file', () => {
  for (const file of files)
    test(`"${file.name}" ends as ${[file.ends].flat().join(' or ')}`, () => {
      expect([file.ends].flat()).toContain(ends.get(file)!)
    })
})

test('meanwhile every other request was answered', () => {
  expect(meanwhile.length).toBeGreaterThan(10)
  expect(new Set(meanwhile)).toEqual(new Set([200]))
})

test('an ordinary file is read after them', async () => {
  expect((await app().imported({ bytes: 'An ordinary text.' })).state).toBe('completed')
})

test('nothing was written where a name or an entry pointed to, and nothing was left on its way', async () => {
  for (const path of ['/etc/cron.d/evil.txt', '/tmp/evil.txt', `${app().directory}/evil.txt`])
    expect(existsSync(path)).toBe(false)
  expect(await app().onTheirWay()).toEqual([])
  const listed = new Set(await app().listed('?limit=200'))
  for (const { id } of await Array.fromAsync(app().blobs.list())) expect(listed).toContain(id)
})

test('the names are kept as they were sent, for people to read', async () => {
  const listed = await app().listed('?name=evil.txt')
  const names = await Promise.all(listed.map(async (id) => (await app().record(id)).name))
  expect(new Set(names)).toEqual(new Set(['../../../../etc/cron.d/evil.txt', 'C:\\windows\\evil.txt']))
})
