import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { runtimeVariables } from './runtime-variables.ts'

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

test('the program from the source and the image set the same variables as the binary sets itself', () => {
  const [program, image] = [textOf('bin/sluice'), textOf('Dockerfile')]
  for (const [name, value] of Object.entries(runtimeVariables)) {
    expect(program).toContain(`export ${name}="\${${name}:-${value}}"`)
    expect(image).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'))
  }
})

test('the runtime of this version accepts them, and would say so if it did not', async () => {
  const started = async (env: Readonly<Record<string, string>>): Promise<number> =>
    Bun.spawn([process.execPath, '--eval', '0'], { env, stdout: 'ignore', stderr: 'ignore' }).exited
  expect(await started(runtimeVariables)).toBe(0)
  expect(await started({ BUN_JSC_noSuchOption: '1' })).toBe(1)
})
