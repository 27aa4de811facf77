import { expect, test } from 'bun:test'
import { execPath } from 'node:process'

const script = `
  const { ProviderPool, providerKindNames } = await import('#providers/registry.ts')
  const { Secret } = await import('#lib/secret.ts')
  const packages = () => Object.keys(require.cache).filter((path) => path.includes('/node_modules/@ai-sdk/')).length
  const record = { id: '', name: '', kind: 'cohere', baseUrl: 'http://127.0.0.1:1', credential: new Secret('k'), headers: {},
    timeouts: {}, options: {}, reasoning: null, enabled: true, declared: true, createdAt: 0 }
  const provider = new ProviderPool().get(record)
  const before = packages()
  const body = new TextEncoder().encode(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }))
  await provider.send({ endpoint: 'chat/completions', upstreamModel: 'm', content: { kind: 'json', body }, streamed: false, headers: {}, requestId: 'r',
    signal: new AbortController().signal, reuseConnection: true }).catch(() => {})
  console.log(JSON.stringify({ kinds: providerKindNames, before, after: packages() }))
`

test('a package of the AI SDK is loaded by the first call of its kind and not before', async () => {
  const child = Bun.spawn([execPath, '-e', script], {
    cwd: `${import.meta.dir}/../../..`,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = (await new Response(child.stdout).json()) as { kinds: string[]; before: number; after: number }
  expect(printed.kinds).toEqual(
    expect.arrayContaining(['anthropic', 'google', 'bedrock', 'mistral', 'cohere', 'ai-sdk']),
  )
  expect(printed.before).toBe(0)
  expect(printed.after).toBeGreaterThan(0)
})
