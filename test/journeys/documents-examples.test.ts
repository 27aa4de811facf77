/** The example programs about documents and batches, run as their readers run them: against a fresh start of the real binary. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { Installation, type RunningServer } from '../cli/sluice.ts'

interface Example {
  readonly name: string
  /** The program, and what it is run by. */
  readonly command: readonly string[]
  readonly questionFirst: boolean
  /** What is missing on this machine, or null. */
  readonly missing: string | null
}

const examples = join(import.meta.dir, '..', '..', 'examples')
const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0
const programs: readonly Example[] = [
  {
    name: 'curl',
    command: [join(examples, 'documents-curl.sh')],
    questionFirst: false,
    missing: Bun.which('curl') === null ? 'curl is not installed' : null,
  },
  {
    name: 'Python',
    command: ['python3', join(examples, 'documents-python.py')],
    questionFirst: true,
    missing: hasRequests ? null : 'Python with the package requests is not installed',
  },
  {
    name: 'TypeScript',
    command: [execPath, join(examples, 'documents-typescript.ts')],
    questionFirst: true,
    missing: null,
  },
]
const question = 'Which "bread" is baked on Thursdays?'

let sluice: Installation
let server: RunningServer
beforeAll(async () => {
  sluice = new Installation()
  server = await sluice.start(['--json'])
})
afterAll(() => sluice[Symbol.asyncDispose]())

async function run({ command, questionFirst }: Example, file: string, key: string) {
  const path = join(sluice.directory, file)
  const child = Bun.spawn([...command, ...(questionFirst ? [question, path] : [path, question])], {
    env: { PATH: process.env['PATH'] ?? '', SLUICE_URL: server.address, SLUICE_API_KEY: key },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

for (const example of programs) {
  const { name, missing } = example
  describe(`the example in ${name}${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
    const file = `bakery-${name}.md`
    test.skipIf(missing !== null)('imports, finds, and answers with the file among the sources', async () => {
      writeFileSync(join(sluice.directory, file), `# ${name}\n\nRye bread is baked on Thursdays, says ${name}.\n`)
      const key = server.started.first_start!.api_key
      for (const _ of ['first', 'again']) {
        const { code, stdout, stderr } = await run(example, file, key)
        expect([code, stderr]).toEqual([0, ''])
        expect(stdout).toContain(`Rye bread is baked on Thursdays, says ${name}.`)
        // Among the passages, and among the citations of the answer.
        expect(stdout.split(file).length).toBeGreaterThanOrEqual(4)
      }
    })

    test.skipIf(missing !== null)('shows what the server refuses', async () => {
      const { code, stdout, stderr } = await run(example, file, 'sk-slu-wrong')
      expect(code).not.toBe(0)
      expect(stdout + stderr).toMatch(/API key/i)
    })
  })
}

test('the example of a folder of prompts writes an answer for each', async () => {
  const [prompts, answers] = ['prompts', 'answers'].map((name) => join(sluice.directory, name)) as [string, string]
  for (const name of ['one.txt', 'two.txt']) await Bun.write(join(prompts, name), `Hello from ${name}`)
  const child = Bun.spawn([execPath, join(examples, 'batch-folder.ts'), prompts, answers], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SLUICE_URL: server.address,
      SLUICE_API_KEY: server.started.first_start!.api_key,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect([await child.stdout.text(), await child.exited]).toEqual(['completed: 2 answered, 0 failed\n', 0])
  for (const name of ['one.txt', 'two.txt'])
    expect((await Bun.file(join(answers, name)).text()).length).toBeGreaterThan(0)
  expect(await Bun.file(join(answers, '.batch')).exists()).toBe(false)
})
