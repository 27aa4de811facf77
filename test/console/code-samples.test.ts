/** The samples that the console shows, run as they are: they reach the endpoint that the model is for. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeSamples } from '../../ui/src/routes/models/code-samples.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'

let gateway: GatewayApp
let directory: string
beforeAll(async () => {
  gateway = await startGateway()
  // Below the project, so that the samples find the SDK.
  directory = await mkdtemp(join(import.meta.dir, '../../node_modules/.samples-'))
  await writeFile(join(directory, 'speech.mp3'), 'a sound')
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const endpoints = [
  'chat/completions',
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'images/generations',
  'audio/transcriptions',
  'audio/speech',
]
const samplesOf = (endpoint: string, secret?: string) =>
  codeSamples(
    { name: 'plain', capabilities: { endpoints: [endpoint] } },
    (gateway as GatewayApp | undefined)?.url ?? '',
    secret,
  )
const run = endpoints.flatMap((endpoint) =>
  samplesOf(endpoint)
    .filter(({ language }) => language !== 'Python')
    .map(({ language }) => [endpoint, language] as const),
)

test.each(run)('%s with %s', async (endpoint, language) => {
  const sample = samplesOf(endpoint).find((each) => each.language === language)
  await writeFile(join(directory, 'sample.ts'), sample?.code ?? '')
  const command =
    language === 'curl'
      ? ['sh', '-ec', (sample?.code ?? '').replace('curl', 'curl -sS --fail')]
      : [process.execPath, 'sample.ts']
  const environment = { ...process.env, SLUICE_API_KEY: gateway.keys.main.secret }
  const before = gateway.upstream.requests.length
  const child = Bun.spawn(command, { cwd: directory, env: environment, stdout: 'pipe', stderr: 'pipe' })
  const problems = await new Response(child.stderr).text()
  expect({ exitCode: await child.exited, problems }).toEqual({ exitCode: 0, problems: '' })
  expect(gateway.upstream.requests.slice(before).map(({ path }) => path)).toEqual([`/v1/${endpoint}`])
})

test.each(endpoints)('%s in Python names the model and the address', (endpoint) => {
  const sample = samplesOf(endpoint).find(({ language }) => language === 'Python')
  expect(sample?.code).toContain(`base_url="${gateway.url}/ai/v1"`)
  expect(sample?.code).toContain('"plain"')
})

test('a new key stands in each sample in the place of the variable', () => {
  for (const { code } of endpoints.flatMap((endpoint) => samplesOf(endpoint, 'sk-slu-new'))) {
    expect(code).toContain('sk-slu-new')
    expect(code).not.toContain('SLUICE_API_KEY')
  }
})
