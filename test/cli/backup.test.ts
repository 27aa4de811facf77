/** `sluice backup` and `sluice restore`: everything out of a running installation, and into an empty one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startS3, type S3Server } from '#test/support/documents/s3-server.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const noPostgres = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL names no server)' : ''

/** A running server with a document, and a provider whose credential is sealed. */
async function furnished(sluice: Installation): Promise<{ readonly server: RunningServer; readonly key: string }> {
  const server = await sluice.start(['--json'])
  const added = ['providers', 'add', 'lab', '--base-url', 'http://127.0.0.1:9/v1', '--no-models']
  await sluice.json([...added, '--credential-env', 'UPSTREAM_KEY'])
  const key = server.started.first_start?.api_key ?? ''
  await importText(server, key, 'Everybody has thirty days of paid leave a year.')
  return { server, key }
}

const request = ({ address }: RunningServer, key: string, call: string, body?: unknown): Promise<Response> =>
  fetch(address + call.slice(call.indexOf('/')), {
    method: call.slice(0, call.indexOf(' ')),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function importText(server: RunningServer, key: string, text: string, isAwaited = true): Promise<string> {
  const files = [{ name: 'note.txt', category: 'notes', bytes: text, encoding: 'utf-8' }]
  const answer = await request(server, key, 'POST /api/v1/documents', { files, wait_for_completion: isAwaited })
  const { accepted } = (await answer.json()) as { accepted: { doc_id: string }[] }
  return accepted[0]?.doc_id ?? ''
}

async function uploadText({ address }: RunningServer, key: string, text: string): Promise<string> {
  const body = new FormData()
  body.append('purpose', 'user_data')
  body.append('file', new Blob([text]), 'note.txt')
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${address}/ai/v1/files`, { method: 'POST', headers, body })
  return ((await answer.json()) as { readonly id: string }).id
}

/** What the restored installation must have of the first one. */
async function expectFurnished(
  restored: Installation,
  key: string,
  more: (server: RunningServer) => Promise<void> = async () => {},
): Promise<void> {
  const server = await restored.start(['--json'])
  expect(server.started).toMatchObject({ first_start: null, forgotten_credentials: [] })
  const found = await request(server, key, 'POST /api/v1/search', { query: 'days of leave' })
  expect(JSON.stringify(await found.json())).toContain('thirty days of paid leave')
  const lab = (await restored.json<{ name: string; has_credential: boolean }[]>(['providers', 'list'])).find(
    ({ name }) => name === 'lab',
  )
  expect(lab).toMatchObject({ has_credential: true })
  // A new reading takes the bytes of the first import.
  const { documents = [] } = (await (await request(server, key, 'GET /api/v1/documents')).json()) as {
    documents?: { doc_id: string }[]
  }
  for (const { doc_id: id } of documents)
    expect((await request(server, key, `GET /api/v1/document/${id}/chunks`)).status).toBe(200)
  await more(server)
  expect((await server.stop()).code).toBe(0)
}

/** Many commands, each a process. */
const slowMs = 120_000
const withCredential = { UPSTREAM_KEY: 'canary-credential' }

describe('a backup of a running server', () => {
  test('is restored elsewhere with keys, documents, their files and credentials, and only its owner can read it', async () => {
    await using sluice = new Installation(withCredential)
    const { server, key } = await furnished(sluice)
    const file = await uploadText(server, key, 'a file of the account')
    const place = join(sluice.directory, 'backup')
    const made = await sluice.json(['backup', place])
    expect(made).toMatchObject({ engine: 'sqlite', has_secret_key: true, blobs: 2, missing_blobs: [] })
    expect(readdirSync(place).toSorted()).toEqual(['blobs', 'database', 'manifest.json', 'secret.key'])
    expect(statSync(place).mode & 0o077).toBe(0)
    for (const name of ['database', 'secret.key', 'manifest.json'])
      expect([name, statSync(join(place, name)).mode & 0o077]).toEqual([name, 0])
    expect(await sluice.json(['restore', '--check', place])).toMatchObject({ restored: false, files: 2 })

    await using other = new Installation()
    expect(await other.json(['restore', place])).toMatchObject({ restored: true, files: 2 })
    expect(readFileSync(join(other.dataDirectory, 'secret.key'), 'utf8')).toBe(
      readFileSync(join(sluice.dataDirectory, 'secret.key'), 'utf8'),
    )
    await expectFurnished(other, key, async (restored) => {
      const content = await request(restored, key, `GET /ai/v1/files/${file}/content`)
      expect(await content.text()).toBe('a file of the account')
    })
  })

  test('goes to a bucket and comes back from it, also when the documents are in one', async () => {
    await using s3 = startS3({ pageSize: 2 })
    const environment = { ...withCredential, ...s3.environment }
    await using sluice = new Installation(environment)
    const { server, key } = await furnished(sluice)
    for (const text of ['One.', 'Two.', 'Three.']) await importText(server, key, text)
    const place = `s3://${s3.bucket}/nightly/1`
    expect(await sluice.json(['backup', place])).toMatchObject({ blobs: 4 })
    expect((await sluice.run(['backup', place])).lines).toEqual([expect.stringContaining('not empty')])
    await server.stop()
    for (const name of s3.objects.keys()) if (name.startsWith('documents/')) s3.objects.delete(name)

    await using other = new Installation(s3.environment)
    expect(await other.json(['restore', place])).toMatchObject({ files: 4 })
    expect([...s3.objects.keys()].filter((name) => name.startsWith('documents/'))).toHaveLength(4)
    await expectFurnished(other, key)
  })

  test(
    'misses no file while documents come and go',
    async () => {
      await using sluice = new Installation(withCredential)
      const { server, key } = await furnished(sluice)
      let isOver = false
      const churn = Array.from({ length: 4 }, async (_, lane) => {
        for (let turn = 0; !isOver; turn += 1) {
          const id = await importText(server, key, `Lane ${lane}, turn ${turn}.`)
          if (turn % 3 !== 0) await request(server, key, `DELETE /api/v1/document/${id}`)
        }
      })
      const churned = Promise.allSettled(churn)
      try {
        for (const name of ['first', 'second']) {
          const place = join(sluice.directory, name)
          expect(await sluice.json(['backup', place])).toMatchObject({ missing_blobs: [] })
          await using other = new Installation()
          expect(await other.json(['restore', place])).toMatchObject({ restored: true })
        }
      } finally {
        isOver = true
        await churned
      }
      await Promise.all(churn)
    },
    slowMs,
  )

  test('lists the files that were lost before, and is restored without them', async () => {
    await using sluice = new Installation(withCredential)
    await furnished(sluice)
    rmSync(join(sluice.dataDirectory, 'documents/blobs'), { recursive: true })
    const place = join(sluice.directory, 'backup')
    expect(await sluice.json(['backup', place])).toMatchObject({
      blobs: 0,
      missing_blobs: [{ id: expect.any(String) }],
    })
    await using other = new Installation()
    expect(await other.json(['restore', place])).toMatchObject({ restored: true, files: 0 })
  })

  test('without the secret key starts only once its credentials may be forgotten, and no new key is made before', async () => {
    await using sluice = new Installation(withCredential)
    await furnished(sluice)
    const place = join(sluice.directory, 'backup')
    expect(await sluice.json(['backup', place, '--without-secret-key'])).toMatchObject({ has_secret_key: false })
    expect(existsSync(join(place, 'secret.key'))).toBe(false)

    await using other = new Installation()
    await other.json(['restore', place])
    for (const command of [['start'], ['users', 'list']]) {
      expect(await other.run(command)).toMatchObject({
        code: 2,
        stdout: '',
        lines: [expect.stringMatching(/secret\.key is missing\. .*"sluice start --forget-credentials"/)],
      })
      expect(existsSync(join(other.dataDirectory, 'secret.key'))).toBe(false)
    }
    const restored = await other.start(['--forget-credentials', '--json'])
    expect(restored.started).toMatchObject({ first_start: null, forgotten_credentials: ['lab'] })
    await restored.stop()
    expect((await other.start(['--json'])).started).toMatchObject({ forgotten_credentials: [] })
  })
})

describe('a backup is refused', () => {
  test('where something is', async () => {
    await using sluice = new Installation()
    await sluice.start()
    const place = join(sluice.directory, 'backup')
    mkdirSync(place)
    writeFileSync(join(place, 'precious'), '')
    expect(await sluice.run(['backup', place])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('not empty')],
    })
    expect(readdirSync(place)).toEqual(['precious'])
  })

  test('when there is nothing to copy, and no database is made', async () => {
    await using sluice = new Installation()
    expect(await sluice.run(['backup', 'copy'])).toMatchObject({
      code: 2,
      lines: [expect.stringContaining('There is no database')],
    })
    expect(existsSync(sluice.dataDirectory)).toBe(false)
  })
})

describe('a restore', () => {
  let sluice: Installation
  let key: string
  let whole: string
  beforeAll(async () => {
    sluice = new Installation(withCredential)
    key = (await furnished(sluice)).key
    whole = join(sluice.directory, 'whole')
    await sluice.json(['backup', whole])
  }, slowMs)
  afterAll(() => sluice[Symbol.asyncDispose]())

  /** A copy of the backup that a test may damage. */
  function copyOfBackup(): string {
    const place = join(sluice.directory, crypto.randomUUID())
    cpSync(whole, place, { recursive: true })
    return place
  }
  const oneBlob = (place: string): string =>
    [...new Bun.Glob('blobs/*/*').scanSync({ cwd: place, absolute: true })][0] ?? ''
  const damages: readonly (readonly [string, (place: string) => void, RegExp])[] = [
    ['without a manifest', (place) => rmSync(join(place, 'manifest.json')), /no complete backup/],
    ['with a broken manifest', (place) => writeFileSync(join(place, 'manifest.json'), '{"format":2}'), /newer version/],
    ['with another database', (place) => writeFileSync(join(place, 'database'), 'x'), /damaged: its database/],
    ['without its database', (place) => rmSync(join(place, 'database')), /damaged: its database/],
    ['without its key', (place) => rmSync(join(place, 'secret.key')), /secret key, which is missing/],
    ['with a changed file', (place) => writeFileSync(oneBlob(place), 'x'), /damaged: the file of document/],
    ['with a file too few', (place) => rmSync(oneBlob(place)), /damaged: 1 file/],
  ]

  test.each(damages)('of a backup %s is refused and leaves no database', async (_, damage, message) => {
    const place = copyOfBackup()
    damage(place)
    await using other = new Installation()
    expect(await other.run(['restore', place])).toMatchObject({ code: 1, lines: [expect.stringMatching(message)] })
    expect(existsSync(join(other.dataDirectory, 'sluice.db'))).toBe(false)
  })

  test('that was broken off can be done again', async () => {
    const place = copyOfBackup()
    const blob = oneBlob(place)
    const bytes = readFileSync(blob)
    writeFileSync(blob, 'x')
    await using other = new Installation()
    expect((await other.run(['restore', place])).code).toBe(1)
    writeFileSync(blob, bytes)
    await other.json(['restore', place])
    await expectFurnished(other, key)
  })

  test('is refused where there is a database, or another key', async () => {
    expect(await sluice.run(['restore', whole])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('There is a database already')],
    })
    const otherKey = Buffer.alloc(32, 7).toString('base64')
    await using other = new Installation({ SLUICE_SECURITY_SECRET_KEY: otherKey })
    expect(await other.run(['restore', whole])).toMatchObject({
      code: 2,
      lines: [expect.stringContaining('is not the key of the backup')],
    })
  })

  test.skipIf(noPostgres !== '')(
    `of PostgreSQL brings back what pg_dump has seen${noPostgres}`,
    async () => {
      await using databases = await twoDatabases(serverUrl ?? '')
      const secret = { SLUICE_SECURITY_SECRET_KEY: Buffer.alloc(32, 3).toString('base64') }
      await using source = new Installation({ ...withCredential, ...secret, SLUICE_DATABASE_URL: databases.first })
      const first = await furnished(source)
      const place = join(source.directory, 'backup')
      expect(await source.json(['backup', place])).toMatchObject({ engine: 'postgres', blobs: 0, blobs_in_database: 1 })
      await first.server.stop()
      await using file = new Installation(secret)
      expect(await file.run(['restore', place])).toMatchObject({ lines: [expect.stringContaining('is of postgres')] })
      await using other = new Installation({ ...secret, SLUICE_DATABASE_URL: databases.second })
      expect(await other.json(['restore', place])).toMatchObject({ restored: true, files: 1 })
      await expectFurnished(other, first.key)
      expect(await other.run(['restore', place])).toMatchObject({ lines: [expect.stringContaining('already')] })
    },
    slowMs,
  )

  const moves: readonly (readonly [from: Place, to: Place])[] = [
    // From each place, and to each.
    ['directory', 'database'],
    ['database', 's3'],
    ['s3', 'directory'],
  ]
  test.skipIf(noPostgres !== '').each(moves)(
    `of files in %s, some of which wait to be read, is worked on by servers that keep theirs in %s${noPostgres}`,
    async (from, to) => {
      await using databases = await twoDatabases(serverUrl ?? '')
      await using firstS3 = startS3()
      await using secondS3 = startS3()
      const secret = { SLUICE_SECURITY_SECRET_KEY: Buffer.alloc(32, 3).toString('base64') }
      const before = { ...withCredential, ...secret, ...keptIn(from, firstS3), SLUICE_DATABASE_URL: databases.first }
      await using source = new Installation({ ...before, SLUICE_DOCUMENTS_CONCURRENCY: '0' })
      const server = await source.start(['--json'])
      const apiKey = server.started.first_start?.api_key ?? ''
      // The second one is larger than a part of a file in the database.
      const words = ['pangolin', 'ocelot']
      for (const [at, word] of words.entries()) await importText(server, apiKey, filler(at) + word, false)
      const place = join(source.directory, 'backup')
      const inside = from === 'database' ? words.length : 0
      expect(await source.json(['backup', place])).toMatchObject({
        blobs: words.length - inside,
        blobs_in_database: inside,
        missing_blobs: [],
      })
      await server.stop()
      firstS3.objects.clear()

      await using other = new Installation({
        ...secret,
        ...keptIn(to, secondS3),
        SLUICE_DATABASE_URL: databases.second,
      })
      expect(await other.json(['restore', place])).toMatchObject({ restored: true, files: words.length })
      expect(secondS3.objects.size).toBe(to === 's3' ? words.length - inside : 0)
      // What went to the database must be there for servers on any machine.
      if (to === 'database') rmSync(join(other.dataDirectory, 'documents'), { recursive: true })
      const restored = await other.start(['--json'])
      for (const word of words) {
        await until(async () => {
          const found = await request(restored, apiKey, 'POST /api/v1/search', { query: word })
          return (await found.text()).includes(`${word}"`)
        })
      }
      await restored.stop()
    },
    slowMs,
  )
})

type Place = 'directory' | 's3' | 'database'

const keptIn = (place: Place, s3: S3Server): Readonly<Record<string, string>> => ({
  ...(place === 's3' && s3.environment),
  SLUICE_DOCUMENTS_BLOBS: place,
})

/** Text before what a search must find. */
const filler = (at: number): string => 'All of it is said in short. '.repeat(at * 25_000)

/** Two empty databases of this server, dropped with everything in them. */
async function twoDatabases(
  server: string,
): Promise<{ readonly first: string; readonly second: string } & AsyncDisposable> {
  const names = ['first', 'second'].map((name) => `sluice_${name}_${crypto.randomUUID().replaceAll('-', '')}`)
  const client = new Client({ connectionString: server })
  await client.connect()
  for (const name of names) await client.query(`create database ${name}`)
  const [first = '', second = ''] = names.map((name) => Object.assign(new URL(server), { pathname: `/${name}` }).href)
  return {
    first,
    second,
    async [Symbol.asyncDispose]() {
      for (const name of names) await client.query(`drop database ${name} with (force)`)
      await client.end()
    },
  }
}
