/**
 * Clients that generators make from the OpenAPI document: their types take a correct program and refuse a wrong one, and the
 * program works. The generators have packages of their own: `npm ci --prefix test/generated-clients`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

const packages = join(import.meta.dir, '../generated-clients/node_modules')
const commands = join(packages, '.bin')
const missing = existsSync(commands) ? null : 'npm ci --prefix test/generated-clients was not run'

interface Generator {
  readonly name: string
  /** Makes `client` or `client.d.ts` from `api.json`. */
  readonly command: readonly string[]
  /** Calls that answer, and one whose error is typed. Prints what it got as JSON. */
  readonly program: string
  /** What the types must refuse, each appended to the program. */
  readonly wrong: readonly string[]
}

const setUp = `
declare const process: { readonly env: Readonly<Record<string, string>> }
const { SLUICE_URL: baseUrl = '', SLUICE_KEY: key = '' } = process.env
const headers = { authorization: \`Bearer \${key}\` }
`
const question = `{ model: 'demo-chat', messages: [{ role: 'user' as const, content: 'generated' }] }`

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript and openapi-fetch',
    command: ['openapi-typescript', 'api.json', '--default-non-nullable=false', '-o', 'client.d.ts'],
    program: `
import createClient from 'openapi-fetch'
import type { components, paths } from './client.js'
${setUp}
const client = createClient<paths>({ baseUrl, headers })
const models = await client.GET('/ai/v1/models')
const chat = await client.POST('/ai/v1/chat/completions', { body: ${question} })
const answer = chat.data as components['schemas']['ChatCompletion'] | undefined
const absent = await client.GET('/ai/v1/models/{model}', { params: { path: { model: 'absent' } } })
const listed: string[] = models.data?.data.map(({ id }) => id) ?? []
const code: string | null | undefined = absent.error?.error.code
console.log(JSON.stringify({ listed, said: answer?.choices[0]?.message.content, code }))
`,
    wrong: [
      `await client.GET('/ai/v1/nothing')`,
      `await client.POST('/ai/v1/chat/completions', { body: { model: 'demo-chat' } })`,
      `await client.POST('/ai/v1/embeddings', { body: { model: 1, input: 'text' } })`,
      `await client.GET('/ai/v1/models/{model}')`,
      `models.data?.data.map(({ nothing }) => nothing)`,
    ],
  },
  {
    name: '@hey-api/openapi-ts',
    command: ['openapi-ts', '-i', 'api.json', '-o', 'client', '-c', '@hey-api/client-fetch', '--silent'],
    program: `
import { createChatCompletion, listModels, retrieveModel, type ChatCompletion } from './client/index.js'
import { client } from './client/client.gen.js'
${setUp}
client.setConfig({ baseUrl, headers })
const models = await listModels()
const chat = await createChatCompletion({ body: ${question} })
const answer = chat.data as ChatCompletion | undefined
const absent = await retrieveModel({ path: { model: 'absent' } })
const listed: string[] = models.data?.data.map(({ id }) => id) ?? []
const code: string | null | undefined = absent.error?.error.code
console.log(JSON.stringify({ listed, said: answer?.choices[0]?.message.content, code }))
`,
    wrong: [
      `await createChatCompletion({ body: { model: 'demo-chat' } })`,
      `await retrieveModel()`,
      `models.data?.data.map(({ nothing }) => nothing)`,
    ],
  },
]

/** The compiler finds no mistake in what the generators make, and none in the programs. */
const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
}

describe.skipIf(missing !== null)(`generated clients${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let app: AdminApp
  beforeAll(async () => {
    if (missing !== null) return
    app = await startAdminApp()
    const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
    await app.call('POST', '/models', { body: { name: 'demo-chat', provider_id: provider.body.id } })
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test.each(generators)(
    '$name',
    async ({ command, program, wrong }) => {
      // Below the packages, so that the programs find them.
      const directory = await mkdtemp(join(packages, 'generated-'))
      await using _ = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
      const run = (name: string, ...args: readonly string[]): Promise<Ran> =>
        execute([process.execPath, '--bun', join(commands, name), ...args], directory)
      const write = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text)

      await write('api.json', (await app.call('GET', '//openapi.json', { key: null })).text)
      const [name = '', ...args] = command
      expect(await run(name, ...args)).toMatchObject({ exitCode: 0 })

      await write('program.ts', program)
      await write('wrong.ts', `${program}\n// @ts-expect-error\n${wrong.join('\n// @ts-expect-error\n')}\n`)
      await write('tsconfig.json', JSON.stringify({ compilerOptions }))
      expect(await run('tsc')).toEqual({ exitCode: 0, output: '' })

      const environment = { SLUICE_URL: app.url, SLUICE_KEY: app.userKey }
      const { output } = await execute([process.execPath, 'program.ts'], directory, environment)
      expect(JSON.parse(output)).toEqual({
        listed: ['demo-chat'],
        said: expect.stringContaining('Your text was: "generated"'),
        code: 'model_not_found',
      })
    },
    120_000,
  )
})

interface Ran {
  readonly exitCode: number
  readonly output: string
}

async function execute(command: readonly string[], cwd: string, environment: object = {}): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const exitCode = await child.exited
  return { exitCode, output: exitCode === 0 ? output : output + problems }
}
