/** Importing files and folders by the command line: with the server, over the network, and without a server. */
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '#test/support/app/documents-app.ts'
import { unrulyLine } from '#test/support/network/unruly-line.ts'
import { Installation, type RunningServer } from './sluice.ts'

interface Imported {
  readonly name: string
  readonly doc_id: string | null
  readonly state: string
  readonly problem: string | null
}

interface Listed {
  readonly doc_id: string
  readonly name: string
  readonly category: string
  readonly owners: readonly string[]
  readonly state: string
  readonly chunker: { readonly units: number }
}

/** Writes files into a folder of the installation; their contents by name. */
function write(sluice: Installation, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(sluice.directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

/** What the server has, as its first key sees it. */
async function listed(server: RunningServer, key = server.started.first_start!.api_key): Promise<readonly Listed[]> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${server.address}/api/v1/documents?limit=200`, { headers })
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: Listed[] }).data
}

const folder = {
  'docs/one.txt': 'Lentils need no soaking.',
  'docs/deep/er/two.md': '# Beans\n\nBeans are soaked for eight hours.',
  'docs/deep/naïve name.html': '<h1>Peas</h1><p>Split peas are done in an hour.</p>',
  'docs/.hidden.txt': 'Not to be imported.',
  'docs/.git/config.txt': 'Neither is this.',
}

describe('with a running server', () => {
  test('a folder is imported with its names, and a second run passes over what is there', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    write(sluice, folder)
    symlinkSync('/etc/hostname', join(sluice.directory, 'docs/link.txt'))
    const first = await sluice.run(['import', 'docs'])
    expect(first).toMatchObject({ code: 0, stdout: '3 files: 3 completed\n' })
    // The one thing that the owner of these files should know, said once for all of them.
    expect(first.lines).toEqual([expect.stringMatching(/^deep\/er\/two\.md and 2 more: The built-in embedder /)])
    const operatorSees = await sluice.json<Imported[]>(['import', 'docs'])
    expect(operatorSees.map(({ name, state }) => [name, state])).toEqual([
      ['deep/er/two.md', 'duplicate'],
      ['deep/naïve name.html', 'duplicate'],
      ['one.txt', 'duplicate'],
    ])
    write(sluice, { 'docs/three.txt': 'Chickpeas are soaked overnight.' })
    const second = await sluice.run(['import', 'docs', 'docs/one.txt'])
    expect(second).toMatchObject({ code: 0, stdout: '4 files: 3 duplicate, 1 completed\n' })
    const { secret } = await sluice.json<{ secret: string }>(['keys', 'create', 'admin', '--user', 'admin@localhost'])
    expect((await listed(server, secret)).map(({ name }) => name).toSorted()).toEqual([
      'deep/er/two.md',
      'deep/naïve name.html',
      'one.txt',
      'three.txt',
    ])
  })

  test('web addresses are fetched by the server, beside files, with the same options', async () => {
    using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        new Response(url.endsWith('/lentils') ? '<p>Lentils need no soaking.</p>' : '', {
          status: url.endsWith('/lentils') ? 200 : 404,
        }),
    })
    await using sluice = new Installation({ SLUICE_DOCUMENTS_URLS_ALLOW_PRIVATE: 'true' })
    const server = await sluice.start(['--json'])
    write(sluice, { 'a.txt': 'A file.' })
    const [good, gone] = ['lentils', 'gone'].map((page) => `http://127.0.0.1:${site.port}/${page}`)
    const options = ['--category', 'food', '--meta', 'shelf=3', '--chunk-units', '50']
    const run = await sluice.run(['import', 'a.txt', good!, gone!, ...options])
    expect(run).toMatchObject({ code: 1, stdout: '3 files: 2 completed, 1 failed\n' })
    expect(run.stderr).toContain(`${gone}: 127.0.0.1:${site.port} answered with status 404.`)
    expect((await listed(server)).find(({ name }) => name === good)).toMatchObject({
      name: good,
      category: 'food',
      metadata: { shelf: 3 },
      chunker: { units: 50 },
    })
  })

  test('what is invalid or fails is named with its reason and makes the exit code 1; the rest is imported', async () => {
    await using sluice = new Installation({ SLUICE_DOCUMENTS_MAX_FILE_BYTES: '5000' })
    await sluice.start()
    write(sluice, {
      'docs/empty.txt': '',
      'docs/good.txt': 'This one is fine.',
      'docs/large.txt': 'x'.repeat(6000),
      'docs/broken.docx': Buffer.from('504b0304140000000800aaaa', 'hex'),
      'docs/program.exe': Buffer.from('4d5a90000300000004000000ffff0000b8', 'hex'),
    })
    const text = await sluice.run(['import', 'docs'])
    expect(text.code).toBe(1)
    expect(text.stdout).toStartWith('5 files: ')
    expect(text.lines.map((line) => line.split(': ', 1)[0])).toEqual([
      // What it says of the good one is a remark.
      'good.txt',
      'broken.docx',
      'empty.txt',
      'large.txt',
      'program.exe',
    ])
    expect(text.stderr).toContain('empty.txt: The file is empty.')
    expect(text.stderr).toContain('5000 bytes')
    const json = await sluice.run(['import', 'docs', '--json'])
    expect(json.code).toBe(1)
    const outcomes = JSON.parse(json.stdout) as Imported[]
    expect(outcomes.find(({ name }) => name === 'good.txt')).toMatchObject({ state: 'duplicate', problem: null })
    expect(outcomes.filter(({ problem }) => problem !== null)).toHaveLength(4)
    expect((JSON.parse(json.stderr) as { problems: string[] }).problems).toHaveLength(4)
  })

  test('wishes are those of every file: owner, category, chunk size; and it returns at once when asked to', async () => {
    await using sluice = new Installation({ SLUICE_DOCUMENTS_CONCURRENCY: '0' })
    const server = await sluice.start(['--json'])
    write(sluice, folder)
    const flags = ['--owner', 'everyone', '--category', 'pulses', '--chunk-units', '64', '--no-wait']
    const { code, stdout } = await sluice.run(['import', 'docs', ...flags])
    expect([code, stdout]).toEqual([0, '3 files: 3 queued\n'])
    for (const { category, owners, chunker, state } of await listed(server))
      expect([category, owners, chunker.units, state]).toEqual(['pulses', ['everyone'], 64, 'queued'])
    expect(await listed(server)).toHaveLength(3)
  })

  test('what cannot be done is one sentence', async () => {
    await using sluice = new Installation()
    await sluice.start()
    mkdirSync(join(sluice.directory, 'nothing'))
    write(sluice, { 'a.txt': 'Text.' })
    expect(await sluice.run(['import', 'none'])).toMatchObject({ code: 2, lines: ['There is no file or folder none.'] })
    expect(await sluice.run(['import', 'a.txt', '--chunk-units', 'x'])).toMatchObject({
      code: 2,
      lines: ['--chunk-units takes a whole number.'],
    })
    expect(await sluice.run(['import', 'nothing'])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('no file')],
    })
    const unknown = await sluice.run(['import', 'a.txt', '--chunker', 'nope'])
    expect(unknown).toMatchObject({ code: 1, stdout: '', lines: [expect.stringContaining('nope')] })
    const nobody = await sluice.run(['import', 'a.txt', '--owner', 'nobody@example.org'])
    expect(nobody).toMatchObject({ code: 1, lines: [expect.stringContaining('nobody@example.org')] })
  })

  test('it stops when it is asked to, says how to go on, and leaves what was sent to the server', async () => {
    await using sluice = new Installation({ SLUICE_DOCUMENTS_CONCURRENCY: '0' })
    const server = await sluice.start(['--json'])
    write(sluice, folder)
    const child = sluice.begin(['import', 'docs', '--owner', 'everyone'])
    await eventually(async () => (await listed(server)).length === 3)
    child.kill('SIGINT')
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    // The answer to the last one may have been on its way.
    expect([await child.exited, stdout]).toEqual([
      1,
      expect.stringMatching(/^3 files: (3 queued|2 queued, 1 unsent|1 unsent, 2 queued)\n$/),
    ])
    expect(stderr).toContain('start this command again')
    expect((await listed(server)).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
  })

  test('in a terminal it shows how far it is, and cleans up the line', async () => {
    await using sluice = new Installation()
    await sluice.start()
    write(sluice, folder)
    const { code, seen } = await sluice.runInTerminal(['import', 'docs'], 100)
    expect(code).toBe(0)
    expect(seen).toContain('0/3 processed, 0 sent')
    expect(seen).toContain('█'.repeat(24) + ' 3/3 processed, 3 sent')
    expect(seen).toContain('\r\u001b[K3 files: 3 completed\r\n')
    expect(seen.indexOf('█')).toBeLessThan(seen.indexOf('completed'))
  })
})

describe('over the network', () => {
  test('address and key are enough, and no local data is touched', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    await using elsewhere = new Installation()
    write(elsewhere, folder)
    const access = ['--url', server.address, '--key', server.started.first_start!.api_key]
    const imported = await elsewhere.json<Imported[]>(['import', 'docs/one.txt', ...access])
    expect(imported).toMatchObject([{ name: 'one.txt', state: 'completed' }])
    const [document] = await listed(server)
    expect(document).toMatchObject({ doc_id: imported[0]?.doc_id, name: 'one.txt', category: 'default' })
    expect(existsSync(elsewhere.dataDirectory)).toBe(false)
    const refused = await elsewhere.run(['import', 'docs', '--url', server.address, '--key', 'sk-slu-wrong'])
    expect(refused).toMatchObject({ code: 1, stdout: '', lines: [expect.stringMatching(/key/i)] })
    const nowhere = await elsewhere.run(['import', 'docs', '--url', 'http://127.0.0.1:1', '--key', 'x'])
    expect(nowhere).toMatchObject({ code: 2, lines: ['The server at http://127.0.0.1:1 cannot be reached.'] })
  })

  test('a full queue is waited for, and a lost answer asked for again: nothing is lost or there twice', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    write(sluice, folder)
    let imports = 0
    await using line = await unrulyLine(server.address, ({ method, path }) => {
      if (method !== 'POST' || path !== '/api/v1/documents') return 'pass'
      imports += 1
      if (imports <= 9) return { status: 503, code: 'backlog_full' }
      return imports === 10 ? 'lose the answer' : 'pass'
    })
    const access = ['--url', line.url, '--key', server.started.first_start!.api_key]
    const imported = await sluice.json<Imported[]>(['import', 'docs', ...access])
    expect(imported.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
    expect(await listed(server)).toHaveLength(3)
    expect(imports).toBe(13)
  })

  test('hundreds of files are asked about together, never one by one', async () => {
    await using sluice = new Installation()
    const server = await sluice.start(['--json'])
    const count = 230
    write(
      sluice,
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`many/${at}.txt`, `Note number ${at}.`])),
    )
    await using line = await unrulyLine(server.address, () => 'pass')
    const access = ['--url', line.url, '--key', server.started.first_start!.api_key]
    const { code, stdout } = await sluice.run(['import', 'many', ...access])
    expect([code, stdout]).toEqual([0, `${count} files: ${count} completed\n`])
    const looks = line.requests.filter(({ method }) => method === 'GET')
    expect(looks.every(({ path }) => path.startsWith('/api/v1/documents?'))).toBe(true)
    expect(looks.length).toBeLessThan(count / 2)
  })
})

test('without a server the files are processed by the command itself, and found by the next one', async () => {
  await using sluice = new Installation()
  await (await sluice.start()).stop()
  write(sluice, folder)
  const imported = await sluice.json<Imported[]>(['import', 'docs'])
  expect(imported.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
  expect((await sluice.run(['search', 'how long do beans soak'])).stdout).toContain('deep/er/two.md')
})

test('stopped while it works alone, it leaves whole documents, with which the next run goes on', async () => {
  await using sluice = new Installation()
  await (await sluice.start()).stop()
  write(sluice, folder)
  const child = sluice.begin(['import', 'docs', '--set', 'documents.concurrency=0'])
  const blobs = join(sluice.dataDirectory, 'documents/blobs')
  const stored = () => (existsSync(blobs) ? readdirSync(blobs, { recursive: true, withFileTypes: true }) : [])
  await eventually(() => stored().filter((entry) => entry.isFile()).length === 3)
  child.kill('SIGINT')
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  expect([code, stderr]).toEqual([1, expect.stringContaining('start this command again')])
  expect(readdirSync(join(sluice.dataDirectory, 'documents/incoming'))).toEqual([])
  const states = (await sluice.json<Imported[]>(['import', 'docs'])).map(({ state }) => state)
  expect(states.every((state) => state === 'completed' || state === 'duplicate')).toBe(true)
  expect((await sluice.json<unknown[]>(['search', 'soaking beans for hours'])).length).toBeGreaterThan(0)
})
