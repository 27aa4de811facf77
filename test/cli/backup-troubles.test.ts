/** Backups and restores in trouble: killed in the middle, on a full disk, with a store that is away, damaged, and of another version. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startS3 } from '#test/support/documents/s3-server.ts'
import { until } from '#test/support/until.ts'
import { Installation, sluiceProgram, type Finished } from './sluice.ts'

const slowMs = 120_000
let sluice: Installation
/** A complete backup of it. */
let whole: string

beforeAll(async () => {
  sluice = new Installation()
  await sluice.start()
  for (const name of ['one', 'two']) writeFileSync(join(sluice.directory, `${name}.txt`), `The note ${name}.`)
  await sluice.json(['import', 'one.txt', 'two.txt', '--category', 'notes'])
  whole = join(sluice.directory, 'whole')
  await sluice.json(['backup', whole])
}, slowMs)
afterAll(() => sluice[Symbol.asyncDispose]())

const placeIn = (installation: Installation): string => join(installation.directory, crypto.randomUUID())

/** It was refused with one sentence, not with a stack. */
function expectSentence({ code, lines }: Finished, sentence: RegExp): void {
  expect([code, lines]).toEqual([1, [expect.stringMatching(sentence)]])
}

/** Starts a command, and kills it as soon as this is there. False when it was faster. */
async function killedAt(installation: Installation, args: readonly string[], isThere: () => boolean): Promise<boolean> {
  const child = installation.begin(args)
  await until(() => isThere() || child.exitCode !== null)
  child.kill('SIGKILL')
  await child.exited
  return child.signalCode === 'SIGKILL'
}

describe('a backup', () => {
  test(
    'that is killed is refused afterwards, is not continued, and one to another place is complete',
    async () => {
      let place = placeIn(sluice)
      const begun = (): boolean => existsSync(place)
      while (!(await killedAt(sluice, ['backup', place], begun))) place = placeIn(sluice)
      expect(existsSync(join(place, 'manifest.json'))).toBe(false)
      expectSentence(await sluice.run(['restore', '--check', place]), /^There is no complete backup/)
      if (readdirSync(place).length > 0) expectSentence(await sluice.run(['backup', place]), /is not empty/)
      const other = placeIn(sluice)
      await sluice.json(['backup', other])
      expect(await sluice.json(['restore', '--check', other])).toMatchObject({ files: 2 })
    },
    slowMs,
  )

  test('on a disk that is full says so in one sentence, and is no backup', async () => {
    const place = placeIn(sluice)
    expectSentence(await onFullDisk(sluice, ['backup', place]), /^The disk is full/)
    expectSentence(await sluice.run(['restore', '--check', place]), /^There is no complete backup/)
  })

  test(
    'to a bucket that is away, or that takes no more, says so in one sentence, and is no backup',
    async () => {
      await using s3 = startS3()
      const { SLUICE_DATA_DIR, PATH = '' } = sluice.environment
      const aws = { AWS_ENDPOINT: s3.url, AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }
      await using client = new Installation({
        ...aws,
        AWS_REGION: 'test',
        SLUICE_DATA_DIR: String(SLUICE_DATA_DIR),
        PATH,
      })
      const place = `s3://${s3.bucket}/nightly`
      s3.answerWith(503, 'PUT')
      expectSentence(await client.run(['backup', place]), /^This is not complete: the S3 store failed/)
      s3.answerWith(null)
      expectSentence(await client.run(['restore', '--check', place]), /^There is no complete backup/)
      await s3.down()
      expectSentence(await client.run(['backup', `${place}-2`]), /^This is not complete: the S3 store failed/)
      s3.up()
      await client.json(['backup', `${place}-3`])
      expect(await client.json(['restore', '--check', `${place}-3`])).toMatchObject({ files: 2 })
    },
    slowMs,
  )
})

describe('a restore', () => {
  test(
    'that is killed can be done again',
    async () => {
      await using other = new Installation()
      // The key is the first that a restore puts in place, the database the last.
      const begun = (): boolean => existsSync(join(other.dataDirectory, 'secret.key'))
      while (!(await killedAt(other, ['restore', whole], begun))) rmSync(other.dataDirectory, { recursive: true })
      if (existsSync(join(other.dataDirectory, 'sluice.db'))) return
      expect(await other.json(['restore', whole])).toMatchObject({ restored: true, files: 2 })
      await other.start()
      expect(JSON.stringify(await other.json(['search', 'note']))).toContain('The note one.')
    },
    slowMs,
  )

  test('on a disk that is full says so in one sentence, leaves no database, and can be done again', async () => {
    await using other = new Installation()
    expectSentence(await onFullDisk(other, ['restore', whole]), /^The disk is full/)
    expect(existsSync(join(other.dataDirectory, 'sluice.db'))).toBe(false)
    expect(await other.json(['restore', whole])).toMatchObject({ restored: true, files: 2 })
  })

  test('of a newer version is refused before anything is in place; of an older one, the next start changes its schema', async () => {
    const newer = changed((database) => database.run('update schema_range set needs = 999'), { needs_schema: 999 })
    await using other = new Installation()
    expectSentence(await other.run(['restore', newer]), /^The backup is of Sluice .* a later one\.$/)
    expect(existsSync(join(other.dataDirectory, 'sluice.db'))).toBe(false)
    // Version 0.1.0 did not say what its schema needs.
    const older = changed(() => undefined, { needs_schema: undefined })
    expect(await other.json(['restore', older])).toMatchObject({ restored: true, files: 2 })
  })

  test(
    'and its check find one changed byte in any file of the backup',
    async () => {
      const files = [...new Bun.Glob('**').scanSync({ cwd: whole })].filter((name) => name !== 'manifest.json')
      expect(files.length).toBe(4)
      for (const file of files) {
        const place = placeIn(sluice)
        cpSync(whole, place, { recursive: true })
        const bytes = readFileSync(join(place, file))
        const at = Math.floor(bytes.length / 2)
        bytes[at] = (bytes[at] ?? 0) ^ 1
        writeFileSync(join(place, file), bytes)
        await using other = new Installation()
        const check = await other.run(['restore', '--check', place])
        const restore = await other.run(['restore', place])
        expect([file, check.code, restore.code]).toEqual([file, 1, 1])
        expect(existsSync(join(other.dataDirectory, 'sluice.db'))).toBe(false)
      }
    },
    slowMs,
  )
})

/** Runs a command that may write no file of more than 200 KB, which the system refuses as it does when the disk is full. */
async function onFullDisk(installation: Installation, args: readonly string[]): Promise<Finished> {
  const script = join(installation.directory, 'limited')
  writeFileSync(script, `#!/bin/bash\nulimit -f 200\nexec ${sluiceProgram} "$@"\n`)
  chmodSync(script, 0o700)
  await using limited = new Installation(installation.environment, script)
  return await limited.run(args)
}

/** A copy of the backup with another database and manifest, whose digests fit. */
function changed(change: (database: Database) => unknown, fields: object): string {
  const place = placeIn(sluice)
  cpSync(whole, place, { recursive: true })
  const file = join(place, 'database')
  {
    using database = new Database(file)
    change(database)
  }
  const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as object
  const bytes = readFileSync(file)
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const database = { bytes: bytes.length, sha256 }
  writeFileSync(join(place, 'manifest.json'), JSON.stringify({ ...manifest, ...fields, database }))
  return place
}
