import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#lib/clock.ts'
import { Secret } from '#lib/secret.ts'
import { createLogger } from '#observe/log.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { makeSecretKey, readSecretKey } from './secret-key.ts'
import { StartProblem } from './start-problem.ts'

let directory: string
let logged: string[]
const logger = createLogger({ level: 'warn', format: 'text', clock: systemClock, write: (line) => logged.push(line) })

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-key-'))
  logged = []
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('the secret key', () => {
  test('is made once, for its owner only, and is the same at the next start', () => {
    expect(readSecretKey(null, directory, logger)).toBeNull()
    const made = makeSecretKey(directory, logger)
    expect(made).toHaveLength(32)
    expect(statSync(join(directory, 'secret.key')).mode & 0o777).toBe(0o600)
    expect(readSecretKey(null, directory, logger)).toEqual(made)
    expect(makeSecretKey(directory, logger)).toEqual(made)
    expect(readdirSync(directory)).toEqual(['secret.key'])
    expect(logged).toEqual([])
  })

  test('differs from one installation to the next', () => {
    const made = makeSecretKey(directory, logger)
    rmSync(join(directory, 'secret.key'))
    expect(makeSecretKey(directory, logger)).not.toEqual(made)
  })

  test('of the settings goes before the file', () => {
    const key = new Uint8Array(32).fill(7)
    makeSecretKey(directory, logger)
    const setting = new Secret(Buffer.from(key).toString('base64'))
    expect(readSecretKey(setting, directory, logger)).toEqual(Buffer.from(key))
  })

  test('that others can read is used with a warning that does not hold it', () => {
    makeSecretKey(directory, logger)
    chmodSync(join(directory, 'secret.key'), 0o644)
    expect(readSecretKey(null, directory, logger)).toHaveLength(32)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('chmod 600')
    expect(logged[0]).not.toContain(readFileSync(join(directory, 'secret.key'), 'utf8').trim())
  })

  test.each(['', 'short', 'not base64!'.repeat(5)])('is refused when the file holds %p, and the file stays', (text) => {
    writeFileSync(join(directory, 'secret.key'), text, { mode: 0o600 })
    expect(() => readSecretKey(null, directory, logger)).toThrow(StartProblem)
    expect(readFileSync(join(directory, 'secret.key'), 'utf8')).toBe(text)
  })
})

describe('the data directory', () => {
  test('is made with its parents, for its owner only', () => {
    const made = prepareDataDirectory(join(directory, 'a', 'b'), logger)
    expect(statSync(made).mode & 0o777).toBe(0o700)
    expect(prepareDataDirectory(made, logger)).toBe(made)
    expect(logged).toEqual([])
  })

  test('that was open to others is closed to them, once it holds nothing but what Sluice makes', () => {
    const data = join(directory, 'data')
    mkdirSync(join(data, 'documents'), { recursive: true })
    writeFileSync(join(data, 'sluice.db-wal'), '')
    chmodSync(data, 0o755)
    prepareDataDirectory(data, logger)
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(logged).toEqual([])
  })

  test('with other files in it keeps its mode, and a warning says what to do', () => {
    writeFileSync(join(directory, 'package.json'), '')
    chmodSync(directory, 0o755)
    prepareDataDirectory(directory, logger)
    expect(statSync(directory).mode & 0o777).toBe(0o755)
    expect(logged).toEqual([expect.stringContaining(`chmod 700 ${directory}`)])
  })

  test('that is a file, or below one, is refused in one sentence', () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    expect(() => prepareDataDirectory(file, logger)).toThrow(`The data directory ${file} cannot be used: it is a file.`)
    expect(() => prepareDataDirectory(join(file, 'below'), logger)).toThrow('a part of its path is a file')
  })
})
