import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { SealError, sealer } from '#lib/seal.ts'
import { BackupRefused } from '#store/backup.ts'
import { openDatabase } from '#store/database.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { migrations } from '#store/migrate.ts'
import { knownSchema } from '#store/migrating/migration.ts'
import { StoreTooNew } from '#store/migrating/schema-state.ts'
import { openStore, type Store } from '#store/store.ts'
import { storeContract } from '#test/support/store/store-contract.ts'
import { aDocument } from '#test/support/store/store-documents.ts'
import { killWhileInserting, openAtOnce } from '#test/support/store/store-processes.ts'
import { aProvider, aUser } from '#test/support/store/store-records.ts'
import { rejection } from '#test/support/store/store-test.ts'

const ownSealer = sealer(new Uint8Array(32))
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-store-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function freshFile(): string {
  return join(folder, crypto.randomUUID(), 'sluice.db')
}

function open(file: string): Promise<Store> {
  return openStore({ url: `sqlite:${file}`, sealer: ownSealer })
}

storeContract('SQLite', async () => {
  const store = await open(freshFile())
  return { store, close: () => store.close() }
})

describe('SQLite file', () => {
  test('what was stored is there after a restart, in one file that only its owner can read', async () => {
    const file = freshFile()
    const first = await open(file)
    const ada = aUser()
    await first.users.insert(ada, null)
    expect(readdirSync(join(file, '..')).map((name) => statSync(join(file, '..', name)).mode & 0o077)).toEqual([
      0, 0, 0,
    ])
    await first.close()
    expect(readdirSync(join(file, '..'))).toEqual(['sluice.db'])
    const second = await open(file)
    expect(await second.users.all()).toEqual([ada])
    await second.close()
  })

  test('a commit waits for the disk, and foreign keys are checked', async () => {
    const database = openDatabase({ url: `sqlite:${freshFile()}` })
    const pragma = async (name: string): Promise<unknown> => {
      const { rows } = await sql<object>`pragma ${sql.raw(name)}`.execute(database.kysely)
      return Object.values(rows[0]!)[0]
    }
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
    await database.close()
  })

  test('every key that was acknowledged before kill -9 is there afterwards', async () => {
    const file = freshFile()
    const acknowledged = await killWhileInserting(`sqlite:${file}`, 100)
    expect(acknowledged.length).toBeGreaterThanOrEqual(100)
    const store = await open(file)
    const found = new Set((await store.keys.all()).map((key) => key.id))
    await store.close()
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
    // At most the one key that was stored but not yet printed.
    expect(found.size - acknowledged.length).toBeLessThanOrEqual(1)
  })

  test('several processes can start on a new database at once', async () => {
    const file = freshFile()
    const results = await openAtOnce(`sqlite:${file}`, 5)
    expect(results).toEqual(results.map(() => ({ printed: 'ready\n', code: 0 })))
    const store = await open(file)
    expect(await store.groups.all()).toHaveLength(1)
    await store.close()
  }, 30_000)

  test('two stores on one file see each other’s writes and can write in turns', async () => {
    const file = freshFile()
    const [one, two] = [await open(file), await open(file)]
    const people = Array.from({ length: 20 }, () => aUser())
    await Promise.all(people.map((user, index) => (index % 2 === 0 ? one : two).users.insert(user, null)))
    expect(await one.users.all()).toEqual(people)
    expect(await two.users.all()).toEqual(people)
    await one.close()
    await two.close()
  })
})

describe('opening an SQLite database', () => {
  test('a database of a newer version is refused with a sentence that says so, and stays as it is', async () => {
    const file = freshFile()
    await (await open(file)).close()
    const database = openDatabase({ url: `sqlite:${file}` })
    await database.kysely.updateTable('schema_range').set({ needs: 99 }).execute()
    await database.close()
    const refused = await rejection(open(file))
    expect(refused).toBeInstanceOf(StoreTooNew)
    expect(String(refused)).toContain(`it needs schema 99; this version knows ${knownSchema(migrations)}`)
  })

  test('documents of the schema before importers counted are duplicates of the same import afterwards', async () => {
    const file = freshFile()
    const before = await open(file)
    const document = aDocument({ owners: ['user:ada', 'group:lab'] })
    await before.documents.insert([document])
    await before.close()
    const database = openDatabase({ url: `sqlite:${file}` })
    await database.kysely.updateTable('documents').set({ content_key: 'of bytes, category and owners' }).execute()
    await sql`alter table groups drop column permissions`.execute(database.kysely)
    await database.kysely.deleteFrom('schema_migrations').where('version', '=', 6).execute()
    await database.close()
    const after = await open(file)
    const again = { ...document, id: crypto.randomUUID(), owners: ['group:lab', 'user:ada'] }
    const others = { ...again, id: crypto.randomUUID(), importerId: 'bob' }
    expect(await after.documents.insert([again, others])).toMatchObject([
      { kind: 'duplicate', id: document.id },
      { kind: 'queued' },
    ])
    expect((await after.groups.all()).map(({ permissions }) => permissions)).toEqual([[]])
    await after.close()
  })

  test('a file that is no database, and a path that is a folder, are unavailable and not overwritten', async () => {
    const file = join(folder, 'letter.txt')
    writeFileSync(file, 'Dear Ada, '.repeat(100))
    expect(await rejection(open(file))).toBeInstanceOf(StoreUnavailable)
    expect(readFileSync(file, 'utf8')).toBe('Dear Ada, '.repeat(100))
    await rejection(open(folder))
    expect(statSync(folder).isDirectory()).toBe(true)
  })

  test('a URL of another kind is refused without repeating it', async () => {
    for (const url of ['mysql://root:secret@db/x', 'sluice.db', '', 'sqlite:']) {
      const refused = await rejection(openStore({ url, sealer: ownSealer }))
      expect(String(refused)).toContain('database URL')
      expect(String(refused)).not.toContain('secret')
    }
  })
})

describe('secrets of providers in SQLite', () => {
  test('a credential and headers are nowhere in the files', async () => {
    const file = freshFile()
    const store = await open(file)
    await store.providers.insert(aProvider({ name: 'findable', headers: { 'x-api-key': 'hidden header' } }))
    const bytes = readdirSync(join(file, '..'))
      .map((name) => readFileSync(join(file, '..', name), 'latin1'))
      .join('')
    await store.close()
    expect(bytes).toContain('findable')
    expect(bytes).not.toContain('credential of')
    expect(bytes).not.toContain('hidden header')
  })

  test('with another secret key providers cannot be read, and can be deleted', async () => {
    const file = freshFile()
    const first = await open(file)
    const provider = aProvider()
    await first.providers.insert(provider)
    await first.close()
    const second = await openStore({ url: `sqlite:${file}`, sealer: sealer(new Uint8Array(32).fill(1)) })
    expect(await rejection(second.providers.all())).toBeInstanceOf(SealError)
    expect(await second.providers.delete(provider.id)).toBe(true)
    await second.close()
  })

  test('a credential that was moved to another provider’s row does not open there', async () => {
    const file = freshFile()
    const store = await open(file)
    const [one, two] = [aProvider(), aProvider()]
    await store.providers.insert(one)
    await store.providers.insert(two)
    const database = openDatabase({ url: `sqlite:${file}` })
    await sql`update providers set credential_sealed = (select credential_sealed from providers where id = ${one.id})`.execute(
      database.kysely,
    )
    await database.close()
    expect((await store.providers.get(one.id))?.credential?.reveal()).toBe(`credential of ${one.id}`)
    expect(await rejection(store.providers.get(two.id))).toBeInstanceOf(SealError)
    await store.close()
  })
})

describe('backup of an SQLite database', () => {
  test('a backup made while others write is a complete store of its own', async () => {
    const store = await open(freshFile())
    const before = Array.from({ length: 20 }, () => aUser())
    for (const user of before) await store.users.insert(user, null)
    const copy = join(folder, `${crypto.randomUUID()}.db`)
    await Promise.all([store.backup(copy), ...before.map(() => store.users.insert(aUser(), null))])
    await store.close()
    expect(statSync(copy).mode & 0o077).toBe(0)
    const restored = await open(copy)
    expect((await restored.users.all()).slice(0, 20)).toEqual(before)
    await restored.users.insert(aUser(), null)
    await restored.close()
  })

  test('a file that exists is refused and left alone, even an empty one', async () => {
    const store = await open(freshFile())
    for (const content of ['', 'precious']) {
      const file = join(folder, crypto.randomUUID())
      writeFileSync(file, content)
      expect(await rejection(store.backup(file))).toBeInstanceOf(BackupRefused)
      expect(readFileSync(file, 'utf8')).toBe(content)
    }
    expect(await rejection(store.backup(join(folder, 'no', 'such', 'folder')))).toBeInstanceOf(BackupRefused)
    await store.close()
  })

  test('a backup that fails leaves no file', async () => {
    const store = await open(freshFile())
    await store.close()
    const file = join(folder, 'never.db')
    expect(await rejection(store.backup(file))).toBeInstanceOf(StoreUnavailable)
    expect(existsSync(file)).toBe(false)
  })
})
