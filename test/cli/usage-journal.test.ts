/** Usage records of a server that is killed: each answered request is counted once, whatever happens to the process. */
import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { framesIn } from '#gateway/usage/journal-frames.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']

const neverFlushed = { SLUICE_USAGE_FLUSH_MILLISECONDS: '600000' }
const flushedAtOnce = { SLUICE_USAGE_FLUSH_MILLISECONDS: '1' }

function journals(sluice: Installation): string[] {
  const directory = join(sluice.dataDirectory, 'usage')
  if (!existsSync(directory)) return []
  return readdirSync(directory).map((name) => join(directory, name))
}

/** Records in the files. */
function journaled(sluice: Installation): number {
  return journals(sluice).reduce((sum, path) => {
    const frames = [...framesIn(readFileSync(path))]
    return sum + frames.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)
  }, 0)
}

async function ask(server: RunningServer, key: string, requests: number): Promise<void> {
  let left = requests
  const client = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1
      const answer = await server.chat(key, 'hello')
      await answer.arrayBuffer()
      expect(answer.status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
}

/** Asks as the operator of the machine. */
async function admin<T>(sluice: Installation, path: string): Promise<T> {
  const unix = join(sluice.dataDirectory, 'control.sock')
  return (await (await fetch(`http://localhost/admin/api/v1${path}`, { unix })).json()) as T
}

async function counted(sluice: Installation): Promise<number> {
  return (await admin<{ requests: number }>(sluice, '/usage')).requests
}

/** How many rows there are, and of how many different requests. */
async function rows(sluice: Installation): Promise<{ all: number; different: number }> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const at: string = cursor === null ? '' : `&cursor=${cursor}`
    const page: { data: { request_id: string }[]; next_cursor: string | null } = await admin(
      sluice,
      `/requests?limit=200${at}`,
    )
    ids.push(...page.data.map(({ request_id: id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  return { all: ids.length, different: new Set(ids).size }
}

type WithInstallation = (body: (sluice: Installation) => Promise<void>) => Promise<void>

const engines: Record<string, WithInstallation> = {
  async SQLite(body) {
    await using sluice = new Installation()
    await body(sluice)
  },
  async PostgreSQL(body) {
    const schema = await makePostgresSchema(String(serverUrl))
    try {
      await using sluice = new Installation({ SLUICE_DATABASE_URL: schema.url })
      await body(sluice)
    } finally {
      await schema.drop()
    }
  },
}

for (const [engine, withInstallation] of Object.entries(engines)) {
  const isMissing = engine === 'PostgreSQL' && serverUrl === undefined
  describe.skipIf(isMissing)(`a server on ${engine} that is killed`, () => {
    test('has lost no record that was in its journal, and the next start counts each once', async () => {
      await withInstallation(async (sluice) => {
        Object.assign(sluice.environment, neverFlushed)
        const first = await sluice.start(['--json'])
        const key = first.started.first_start!.api_key
        await ask(first, key, 100)
        await until(() => journaled(sluice) === 100)
        await first.kill()
        const second = await sluice.start()
        await until(async () => (await counted(sluice)) === 100)
        expect(await rows(sluice)).toEqual({ all: 100, different: 100 })
        await until(() => journals(sluice).length === 0)
        await second.kill()
      })
    }, 60_000)

    test('in the middle of writing, again and again, has none doubled and none missing', async () => {
      await withInstallation(async (sluice) => {
        Object.assign(sluice.environment, flushedAtOnce)
        let key = ''
        let asked = 0
        for (const requests of [20, 60]) {
          const server = await sluice.start(['--json'])
          key = server.started.first_start?.api_key ?? key
          await ask(server, key, requests)
          asked += requests
          // What the journals of all processes and the database have together.
          await until(async () => (await counted(sluice)) === asked)
          // Those that are in the database already; their files go later.
          const before = journaled(sluice)
          await ask(server, key, 30)
          asked += 30
          await until(async () => (await counted(sluice)) === asked || journaled(sluice) >= before + 30)
          await server.kill()
        }
        await sluice.start()
        await until(async () => (await counted(sluice)) === asked)
        await until(() => journals(sluice).length === 0)
        expect(await rows(sluice)).toEqual({ all: asked, different: asked })
        expect(await counted(sluice)).toBe(asked)
      })
    }, 90_000)
  })
}

describe('a journal', () => {
  test('that ends in the middle of a record gives all before it', async () => {
    await using sluice = new Installation(neverFlushed)
    const first = await sluice.start(['--json'])
    const key = first.started.first_start!.api_key
    await ask(first, key, 20)
    await until(() => journaled(sluice) === 20)
    await first.kill()
    const [path = ''] = journals(sluice)
    appendFileSync(path, 'usage 21 3 900 abc\nhalf of a rec')
    await sluice.start()
    await until(async () => (await counted(sluice)) === 20)
    await until(() => journals(sluice).length === 0)
  }, 60_000)

  test('that was written back once is not counted again when its file is still there', async () => {
    await using sluice = new Installation(neverFlushed)
    const first = await sluice.start(['--json'])
    const key = first.started.first_start!.api_key
    await ask(first, key, 25)
    await until(() => journaled(sluice) === 25)
    await first.kill()
    const copies = journals(sluice).map((path) => [path, readFileSync(path)] as const)
    const second = await sluice.start()
    await until(async () => (await counted(sluice)) === 25 && journals(sluice).length === 0)
    await second.kill()
    for (const [path, bytes] of copies) writeFileSync(path, bytes)
    await sluice.start()
    await until(() => journals(sluice).length === 0)
    expect(await rows(sluice)).toEqual({ all: 25, different: 25 })
    expect(await counted(sluice)).toBe(25)
  }, 60_000)

  test('that cannot be written is said once, and requests and records go on', async () => {
    await using sluice = new Installation(flushedAtOnce)
    const server = await sluice.start(['--json'])
    const key = server.started.first_start!.api_key
    const directory = join(sluice.dataDirectory, 'usage')
    renameSync(directory, `${directory}-gone`)
    await ask(server, key, 60)
    await until(async () => (await counted(sluice)) === 60)
    rmSync(`${directory}-gone`, { recursive: true })
    const { stderr } = await server.stop()
    expect(stderr.split('journal cannot be written').length - 1).toBe(1)
  }, 60_000)

  test('of a server that stops in good order leaves no file', async () => {
    await using sluice = new Installation(neverFlushed)
    const server = await sluice.start(['--json'])
    await ask(server, server.started.first_start!.api_key, 10)
    await until(() => journaled(sluice) === 10)
    await server.stop()
    expect(journals(sluice)).toEqual([])
  }, 60_000)
})
