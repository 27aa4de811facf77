import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-loading-'))
afterAll(() => rmSync(directory, { recursive: true }))

const pathOf = (file: string): string => JSON.stringify(new URL(file, import.meta.url).pathname)

/** Modules that a program of the project has loaded at its end. */
async function loadedBy(program: string): Promise<readonly string[]> {
  const script = `${program}
    console.error(JSON.stringify(Object.keys(require.cache)))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'pipe' })
  const lines = (await child.stderr.text()).trim().split('\n')
  return JSON.parse(lines.at(-1) ?? '') as readonly string[]
}

test.each([[['version']], [['--help']], [['keys', 'list', '--url', 'http://127.0.0.1:1', '--key', 'none']]])(
  '%p loads neither the app nor the store, which take longer than all else',
  async (args) => {
    const loaded = await loadedBy(`await (await import(${pathOf('run.ts')})).run(${JSON.stringify(args)})`)
    expect(loaded.some((path) => path.endsWith('/src/cli/commands.ts'))).toBe(true)
    expect(loaded.filter((path) => /\/src\/(app\.ts|store\/)|\/kysely\//.test(path))).toEqual([])
  },
)

test('a server that has opened an SQLite store of its schema loads nothing of PostgreSQL and no word lists of languages', async () => {
  const url = `sqlite:${join(directory, 'store.db')}`
  const made = await openStore({ url, sealer: sealer(randomBytes(32)) })
  await made.close()
  const loaded = await loadedBy(`
    await import(${pathOf('start/start-server.ts')})
    const { openStore } = await import(${pathOf('../store/store.ts')})
    const store = await openStore({ url: ${JSON.stringify(url)}, sealer: null })
    await store.ping()
    await store.close()`)
  expect(loaded.some((path) => path.endsWith('/src/app.ts'))).toBe(true)
  const heavy =
    /node_modules\/(pg|pg-[a-z-]+|@orama)\/|\/store\/documents\/(work|search\/document-search|places\/qdrant)/
  expect(loaded.filter((path) => heavy.test(path))).toEqual([])
})
