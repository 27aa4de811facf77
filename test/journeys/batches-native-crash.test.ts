/** A server that is killed while it hands batches over to a provider: none is there twice, and none is missing. */
import { expect, test } from 'bun:test'
import { Installation } from '#test/cli/sluice.ts'
import { startNativeProvider } from '#test/support/batches/native-provider.ts'
import { until } from '#test/support/until.ts'

const [count, lines, kills] = [8, 3, 4]
const endpoint = '/v1/chat/completions'
const environment = {
  SLUICE_BATCHES_LEASE_SECONDS: '1',
  SLUICE_BATCHES_NATIVE_POLL_SECONDS: '0.05',
  SLUICE_LOG_LEVEL: 'error',
}

test('each part is one batch at the provider, whenever the server is killed', async () => {
  using provider = startNativeProvider(120)
  await using sluice = new Installation(environment)
  let server = await sluice.start(['--json'])
  const key = String(server.started.first_start?.api_key)
  await sluice.json(['providers', 'add', 'up', '--base-url', provider.url])
  const model = ['models', 'add', 'ok', '--provider', 'up', '--batch', 'native']
  expect(await sluice.json<object>(model)).toMatchObject({ batch: 'native' })
  const call = async (method: string, path: string, body?: Bun.BodyInit): Promise<string> => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: `Bearer ${key}`, ...type }
    const answer = await fetch(`${server.address}/ai/v1${path}`, { method, headers, ...(body && { body }) })
    return answer.text()
  }
  const form = new FormData()
  form.append('purpose', 'batch')
  const body = { model: 'ok', messages: [{ role: 'user', content: 'x' }] }
  const input = Array.from({ length: lines }, (_, at) =>
    JSON.stringify({ custom_id: `id-${at}`, method: 'POST', url: endpoint, body }),
  )
  form.append('file', new Blob([input.join('\n')]), 'input.jsonl')
  const { id: fileId } = JSON.parse(await call('POST', '/files', form)) as { id: string }
  const asked = JSON.stringify({ input_file_id: fileId, endpoint, completion_window: '24h' })
  const ids: string[] = []
  for (let at = 0; at < count; at += 1)
    ids.push((JSON.parse(await call('POST', '/batches', asked)) as { id: string }).id)
  for (let kill = 0; kill < kills; kill += 1) {
    // Some are there, others are on their way.
    const before = provider.batches.length
    await until(() => provider.batches.length > before || before === count)
    await server.kill()
    server = await sluice.start(['--json'])
  }
  await until(() => provider.batches.length >= count)
  provider.endAll()
  for (const id of ids) {
    let batch = { status: '', output_file_id: '' }
    await until(
      async () => (batch = JSON.parse(await call('GET', `/batches/${id}`)) as typeof batch).status === 'completed',
    )
    const output = (await call('GET', `/files/${batch.output_file_id}/content`)).trimEnd().split('\n')
    expect(output).toHaveLength(lines)
    expect(output.every((line) => line.includes('"content":"batch"'))).toBe(true)
  }
  expect(new Set(provider.batches.map(({ token }) => token)).size).toBe(count)
  expect(provider.batches).toHaveLength(count)
  expect(provider.live).toEqual([])
}, 120_000)
