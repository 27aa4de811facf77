/** Async requests whose server is killed: none is lost, and none has two answers. */
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { hang, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'
import { until } from '#test/support/until.ts'
import { Installation, type RunningServer } from './sluice.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const count = 12

const engines: Record<string, () => Promise<{ environment: Record<string, string>; end: () => Promise<void> }>> = {
  SQLite: () => Promise.resolve({ environment: {}, end: () => Promise.resolve() }),
  async PostgreSQL() {
    const schema = await makePostgresSchema(String(serverUrl))
    return { environment: { SLUICE_DATABASE_URL: schema.url }, end: () => schema.drop() }
  },
}

for (const [engine, open] of Object.entries(engines)) {
  test.skipIf(engine === 'PostgreSQL' && serverUrl === undefined)(
    `on ${engine} ${count} of them are answered by the next start, each once`,
    async () => {
      const { environment, end } = await open()
      await using ends = new AsyncDisposableStack()
      ends.defer(end)
      await using upstream = await startUpstream()
      await using sluice = new Installation({ ...environment, SLUICE_BATCHES_LEASE_SECONDS: '5' })
      const first = await sluice.start(['--json'])
      const key = first.started.first_start!.api_key
      const { id } = await operate(sluice, 'providers', { name: 'up', kind: 'openai', base_url: upstream.url })
      await operate(sluice, 'models', { name: 'm', provider_id: id })

      upstream.script([hang])
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
      const paths = await Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await call(first, key, '/ai/v1/chat/completions', { method: 'POST', body })
          expect(answer.status).toBe(202)
          return `${answer.headers.get('location')}/response`
        }),
      )
      await until(() => upstream.requests.length > 0)
      await first.kill()

      upstream.script(json(chatCompletion()))
      const second = await sluice.start()
      for (const path of paths) {
        let status = 202
        await until(async () => ({ status } = await call(second, key, path)).status !== 202)
        expect(status).toBe(200)
      }
      const list = (await (await call(second, key, '/ai/v1/async?limit=100')).json()) as {
        readonly data: readonly { readonly status: string }[]
      }
      await until(async () => {
        const { data } = (await (await call(second, key, '/ai/v1/async?limit=100')).json()) as typeof list
        return data.every(({ status }) => status === 'completed')
      })
      expect(list.data).toHaveLength(count)
    },
    60_000,
  )
}

function call(server: RunningServer, key: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'respond-async' }
  return fetch(server.address + path, { ...init, headers })
}

async function operate(sluice: Installation, what: string, body: object): Promise<{ readonly id: string }> {
  const answer = await fetch(`http://localhost/admin/api/v1/${what}`, {
    unix: join(sluice.dataDirectory, 'control.sock'),
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as { readonly id: string }
}
