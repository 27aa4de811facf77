/** Git repositories as sources, by the real server of Git. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { hasGit, startGitServer, type GitServer } from '#test/support/sources/git-server.ts'

interface Run {
  readonly outcome: string
  readonly begun_at: string
  readonly errors: readonly string[]
}

let app: DocumentsApp
let git: GitServer
beforeAll(async () => void (app = await startDocuments({ set: ['documents.sources_allow_private=true'] })))
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => void (git = startGitServer()))
afterEach(() => git[Symbol.asyncDispose]())

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  return (await (await app.operate(method, path, body)).json()) as T
}

async function add(fields: object = {}): Promise<string> {
  const user = { user_id: app.keys.main.userId, category: 'code', every_minutes: 9999 }
  const body = { name: crypto.randomUUID(), kind: 'git', url: git.url, ...user, ...fields }
  return (await call<{ id: string }>('POST', '/sources', body)).id
}

/** The run after the one that is known; the source is asked to run when there is one. */
async function ran(id: string, before: Run | null = null): Promise<Run> {
  if (before !== null) await call('POST', `/sources/${id}/run`)
  let last: Run | null = null
  await eventually(async () => {
    last = (await call<{ last_run: Run | null }>('GET', `/sources/${id}`)).last_run
    return last !== null && last.begun_at !== before?.begun_at
  })
  return last!
}

async function filesOf(id: string): Promise<Readonly<Record<string, { doc_id: string; sha256: string }>>> {
  const response = await app.request('GET', `/api/v1/documents/manifest?source=source:${id}`)
  const { data } = (await response.json()) as { data: { source_id: string; doc_id: string; sha256: string }[] }
  for (const { doc_id: each } of data) await app.ended(each)
  return Object.fromEntries(data.map(({ source_id: name, ...file }) => [name, file]))
}

describe.skipIf(!hasGit)('a Git repository', () => {
  test('is read by branch and folder: new, changed, moved and deleted files reach the documents', async () => {
    git.commit({
      'docs/a.md': '# Aardvark\n\nAn aardvark digs.',
      'docs/deep/b ü.txt': 'A badger digs, too.',
      'docs/c.txt': 'A civet climbs.',
      'src/main.c': 'int main;',
      'docs/deep/same.txt': 'A civet climbs.',
    })
    symlinkSync('a.md', join(git.folder, 'docs/link.md'))
    git.commit({})
    git.git('checkout', '-qfb', 'other')
    git.commit({ 'docs/elsewhere.txt': 'On another branch.' })
    const id = await add({ branch: 'main', path: '/docs/' })
    const first = await ran(id)
    expect(first).toMatchObject({ outcome: 'completed', imported: 4, failed: 0, errors: [] })
    const before = await filesOf(id)
    expect(Object.keys(before).toSorted()).toEqual(['a.md', 'c.txt', 'deep/b ü.txt', 'deep/same.txt'])
    expect(git.requests.filter((each) => each.endsWith('command=fetch'))).toHaveLength(5)

    git.git('checkout', '-qf', 'main')
    git.requests.length = 0
    const second = await ran(id, first)
    expect(second).toMatchObject({ imported: 0, unchanged: 4 })
    expect(git.requests.filter((each) => each.endsWith('command=fetch'))).toHaveLength(1)

    git.commit({
      'docs/a.md': '# Aardvark\n\nAn aardvark sleeps.',
      'docs/c.txt': null,
      'docs/deep/b ü.txt': null,
      'docs/moved.txt': 'A badger digs, too.',
    })
    const planned = await call<{ data: { change: string; file: string }[] }>('POST', `/sources/${id}/dry-run`)
    expect(planned.data).toEqual([
      { change: 'changed', file: 'a.md' },
      { change: 'moved', file: 'moved.txt' },
      { change: 'deleted', file: 'c.txt' },
    ])
    expect(await ran(id, second)).toMatchObject({ imported: 1, moved: 1, deleted: 1, unchanged: 1 })
    const after = await filesOf(id)
    expect(Object.keys(after).toSorted()).toEqual(['a.md', 'deep/same.txt', 'moved.txt'])
    const { doc_id: movedId, sha256 } = before['deep/b ü.txt']!
    expect(after['moved.txt']).toMatchObject({ doc_id: movedId, sha256 })
    expect((await app.record(after['moved.txt']!.doc_id)).name).toBe('moved.txt')
    const hits = await app.hits({ query: 'aardvark sleeps', mode: 'keyword' })
    expect(hits.map(({ text }) => text)).toEqual(['# Aardvark\n\nAn aardvark sleeps.'])
  })

  test('with long histories, big folders and files of many sizes is read in a few requests', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_each, at) => [`many/${at % 7}/file ${at}.txt`, `Number ${at}.`]),
    )
    git.commit(many)
    // Folders that differ little are stored as deltas.
    for (const at of [1, 2, 3]) git.commit({ [`many/0/file ${at * 7}.txt`]: `Changed ${at}.` })
    git.git('repack', '-adfq', '--depth=50')
    const sizes = [0, 1, 15, 16, 17, 2047, 2048, 65_536, 1_000_000]
    git.commit(Object.fromEntries(sizes.map((size) => [`sizes/${size}.txt`, 'x'.repeat(size)])))
    const id = await add({ path: 'many/0', ignore: ['file 1??.txt'] })
    expect(await ran(id)).toMatchObject({ outcome: 'completed', imported: 29, failed: 0 })
    const large = await add({ path: 'sizes' })
    expect(await ran(large)).toMatchObject({ imported: 8, failed: 1, errors: ['0.txt: The file is empty.'] })
    const found = await filesOf(large)
    for (const size of sizes.slice(1))
      expect(found[`${size}.txt`]!.sha256).toBe(new Bun.CryptoHasher('sha256').update('x'.repeat(size)).digest('hex'))
  })

  test('is opened with a credential, which is shown to nobody', async () => {
    git.commit({ 'a.txt': 'A secret seal.' })
    git.authorization = `Basic ${btoa('ada:token-7')}`
    expect(await ran(await add())).toMatchObject({
      outcome: 'failed',
      errors: [expect.stringMatching(/status 401\.$/)],
    })
    const id = await add({ credential: 'ada:token-7' })
    expect(await ran(id)).toMatchObject({ outcome: 'completed', imported: 1 })
    expect(JSON.stringify(await call('GET', '/sources')) + app.log()).not.toContain('token-7')
  })

  test.each<[string, (server: GitServer) => object, RegExp]>([
    ['has no commits', () => ({}), /^The repository has no commits\.$/],
    ['lacks the branch', (server) => (server.commit({ a: 'a' }), { branch: 'gone' }), /^There is no branch gone\.$/],
    [
      'lacks the folder',
      (server) => (server.commit({ a: 'a' }), { path: 'no/such' }),
      /^There is no folder no\/such on/,
    ],
    ['has a file for the folder', (server) => (server.commit({ a: 'a' }), { path: 'a' }), /^There is no folder a on/],
    ['is not there', () => ({ url: git.url.replace('/repo/', '/none/') }), /status 404\.$/],
    [
      'offers no partial clones',
      (server) => (server.commit({ a: 'a' }), server.git('config', 'uploadpack.allowFilter', 'false'), {}),
      /does not offer partial clones\. .*uploadpack\.allowFilter/,
    ],
  ])('that %s fails with one sentence, and deletes nothing', async (_what, prepare, message) => {
    const run = await ran(await add(prepare(git)))
    expect(run).toMatchObject({ outcome: 'failed', errors: [expect.stringMatching(message)] })
  })
})
