import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownScript, ownScripts, scriptAsked, scriptCommand } from './own-scripts.ts'

const src = join(import.meta.dir, '..')
const files = [...new Bun.Glob('**/*.ts').scanSync({ cwd: src })].filter((file) => !file.endsWith('.test.ts'))

describe('the scripts of Sluice', () => {
  test.each([...ownScripts])('%s exists where a thread looks for it', (name) => {
    expect(existsSync(ownScript(name))).toBe(true)
  })

  test('are all that threads and processes run: no file makes the address of another one itself', () => {
    const own = 'lib/own-scripts.ts'
    const makers = files.filter((file) => /new URL\([^)]*import\.meta/.test(readFileSync(join(src, file), 'utf8')))
    expect(makers).toEqual([own])
  })

  test('are each started by a file that names it', () => {
    const texts = files.map((file) => readFileSync(join(src, file), 'utf8'))
    const started = ownScripts.filter((name) => texts.some((text) => text.includes(`ownScript('${name}')`)))
    expect(started).toEqual([...ownScripts])
  })

  test('are not run by an argument of the command line of the source', () => {
    const [, ...args] = scriptCommand(ownScript('lib/tokens/token-thread.ts'))
    expect(scriptAsked(args)).toBeNull()
    expect(scriptAsked(['--run-own-script', '/etc/passwd'])).toBeNull()
  })
})
