/** What any process answers for all of them, and what only one of them does. */
import { describe, expect, test } from 'bun:test'
import { readStatus } from '#gateway/process-status.ts'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { gate, json } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion } from '#test/support/upstream/upstream-samples.ts'
import { startUpstream } from '#test/support/upstream/upstream.ts'
import { aDocument } from '#test/support/store/store-documents.ts'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

const newCluster = (timeoutSeconds = 10): Promise<Cluster> => makeCluster(String(serverUrl), timeoutSeconds)

interface Answer {
  readonly data: readonly { readonly model?: string; readonly in_use?: number; readonly in_flight?: number }[]
  readonly processes: readonly { readonly id: string | null; readonly age_ms: number }[]
}

interface Health {
  readonly data: readonly { readonly states: Readonly<Record<string, number>>; readonly in_flight: number }[]
}

describe.skipIf(serverUrl === undefined)(`any process${reason}`, () => {
  test('answers for all what is in flight and how providers are, with the age of each figure', async () => {
    await using cluster = await newCluster()
    const upstream = await startUpstream()
    upstream.script([gate, ...json(chatCompletion())])
    await using _closed = { [Symbol.asyncDispose]: () => upstream.close() }
    const set = ['health.failures_to_eject=1', 'failover.max_attempts=1']
    const replicas = [await cluster.start(undefined, set), await cluster.start(undefined, set), await cluster.start()]
    const [one, two] = replicas
    const provider = await one!.admin<{ id: string }>('POST', '/providers', { name: 'p', base_url: upstream.url })
    const model = await one!.admin<{ id: string }>('POST', '/models', { name: 'slow', provider_id: provider.id })
    const running: Promise<number>[] = []
    for (const [index, count] of [1, 2, 3].entries()) {
      for (let request = 0; request < count; request += 1) {
        running.push(chat(replicas[index]!, cluster.userKey))
        await upstream.nextRequest()
      }
    }
    const inFlight = async (on: TestReplica): Promise<readonly (number | undefined)[]> => {
      const use = await on.admin<Answer>('GET', '/inflight')
      const providers = await on.admin<Health>('GET', '/provider-health')
      const ofModel = await on.admin<Answer>('GET', `/models/${model.id}/health`)
      expect(use.processes.map(({ id }) => id)).toEqual([null, expect.any(String), expect.any(String)])
      for (const { age_ms: ageMs } of use.processes) expect(ageMs).toBeGreaterThanOrEqual(0)
      return [use.data[0]?.in_use, providers.data[0]?.in_flight, ofModel.data[0]?.in_flight]
    }
    for (const each of replicas) await until(async () => Bun.deepEquals(await inFlight(each), [6, 6, 6]))
    upstream.release(6)
    await Promise.all(running)
    for (const each of replicas) await until(async () => Bun.deepEquals(await inFlight(each), [0, 0, 0]))

    // A provider that one process has left out is shown by all of them.
    await upstream.close()
    expect(await chat(two!, cluster.userKey)).toBe(502)
    for (const each of replicas) {
      await until(async () => (await each.admin<Health>('GET', '/provider-health')).data[0]?.states['out'] === 1)
    }
  }, 60_000)

  test('warns the others of a provider that fails, and tells them when it is back', async () => {
    await using cluster = await newCluster()
    await using upstream = await startUpstream()
    const set = [
      'health.failures_to_eject=3',
      'failover.max_attempts=1',
      'health.ejection_seconds=3600',
      'health.probe_seconds=0',
    ]
    const one = await cluster.start(undefined, set)
    const [idOfOne = ''] = await cluster.registered()
    const two = await cluster.start(undefined, set)
    const idOfTwo = (await cluster.registered()).find((id) => id !== idOfOne) ?? ''
    const provider = await one.admin<{ id: string }>('POST', '/providers', { name: 'p', base_url: upstream.url })
    await one.admin('POST', '/models', { name: 'slow', provider_id: provider.id })
    const fail = async (on: TestReplica): Promise<void> => {
      upstream.script(json({}, 500))
      expect(await chat(on, cluster.userKey)).toBe(502)
    }
    const succeed = (on: TestReplica): Promise<number> => {
      upstream.script(json(chatCompletion()))
      return chat(on, cluster.userKey)
    }
    const isOut = async (id: string): Promise<boolean> => {
      const [row] = await cluster.schema.run(`select status from replicas where id = '${id}'`)
      return Object.values(readStatus(String(row?.['status'])).upstreams).some(({ state }) => state === 'out')
    }
    for (let failure = 0; failure < 3; failure += 1) await fail(one)
    await until(() => isOut(idOfOne))
    // Alone it would take three failures in a row.
    await until(async () => {
      await succeed(two)
      await fail(two)
      return isOut(idOfTwo)
    })
    // An ejection is advice where there is nothing else to ask.
    expect(await succeed(one)).toBe(200)
    await until(async () => !(await isOut(idOfTwo)))
  }, 60_000)

  test('that is gone counts no longer', async () => {
    await using cluster = await newCluster(2)
    const [one, two] = [await cluster.start(), await cluster.start()]
    const count = async (): Promise<number> => (await one.admin<Answer>('GET', '/inflight')).processes.length
    expect(await count()).toBe(2)
    await two.app.close()
    expect(await count()).toBe(1)
  })
})

describe.skipIf(serverUrl === undefined)(`one process${reason}`, () => {
  test('exports the documents by state, and another one does when it has left', async () => {
    await using cluster = await newCluster()
    const store = await openStore({ url: cluster.schema.url, sealer: sealer(new Uint8Array(32)) })
    await store.documents.insert([aDocument()])
    await store.close()
    // They work on no documents, so that the state stays.
    const set = ['documents.concurrency=0']
    const replicas = [await cluster.start(undefined, set), await cluster.start(undefined, set)]
    const exporting = async (): Promise<readonly boolean[]> =>
      Promise.all(replicas.map(async ({ url }) => /^sluice_documents\{/m.test(await metricsOf(url))))
    const first = await exporting()
    expect(first.filter(Boolean)).toHaveLength(1)
    expect(await exporting()).toEqual(first)
    await replicas.splice(first.indexOf(true), 1)[0]!.app.close()
    await until(async () => Bun.deepEquals(await exporting(), [true]))
  })
})

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

async function chat(on: TestReplica, key: string): Promise<number> {
  const answer = await fetch(`${on.url}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.arrayBuffer()
  return answer.status
}
