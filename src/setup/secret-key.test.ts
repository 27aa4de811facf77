import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#lib/clock.ts'
import { Secret } from '#lib/secret.ts'
import { createLogger } from '#observe/log.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { openSecretKey } from './secret-key.ts'
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
    const made = openSecretKey(null, directory, logger)
    expect(made).toHaveLength(32)
    expect(statSync(join(directory, 'secret.key')).mode & 0o777).toBe(0o600)
    expect(openSecretKey(null, directory, logger)).toEqual(made)
    expect(readdirSync(directory)).toEqual(['secret.key'])
    expect(logged).toEqual([])
  })

  test('differs from one installation to the next', () => {
    const made = openSecretKey(null, directory, logger)
    rmSync(join(directory, 'secret.key'))
    expect(openSecretKey(null, directory, logger)).not.toEqual(made)
  })

  test('of the settings goes before the file, and none is made', () => {
    const key = new Uint8Array(32).fill(7)
    expect(openSecretKey(new Secret(Buffer.from(key).toString('base64')), directory, logger)).toEqual(Buffer.from(key))
    expect(readdirSync(directory)).toEqual([])
  })

  test('that others can read is used with a warning that does not hold it', () => {
    openSecretKey(null, directory, logger)
    chmodSync(join(directory, 'secret.key'), 0o644)
    openSecretKey(null, directory, logger)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('chmod 600')
    expect(logged[0]).not.toContain(readFileSync(join(directory, 'secret.key'), 'utf8').trim())
  })

  test.each(['', 'short', 'not base64!'.repeat(5)])('is refused when the file holds %p, and the file stays', (text) => {
    writeFileSync(join(directory, 'secret.key'), text, { mode: 0o600 })
    expect(() => openSecretKey(null, directory, logger)).toThrow(StartProblem)
    expect(readFileSync(join(directory, 'secret.key'), 'utf8')).toBe(text)
  })
})

describe('the data directory', () => {
  test('is made with its parents, for its owner only', () => {
    const made = prepareDataDirectory(join(directory, 'a', 'b'))
    expect(statSync(made).mode & 0o777).toBe(0o700)
    expect(prepareDataDirectory(made)).toBe(made)
  })

  test('that is a file, or below one, is refused in one sentence', () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    expect(() => prepareDataDirectory(file)).toThrow(`The data directory ${file} cannot be used: it is a file.`)
    expect(() => prepareDataDirectory(join(file, 'below'))).toThrow('a part of its path is a file')
  })
})
