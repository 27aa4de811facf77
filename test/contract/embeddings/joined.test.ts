/** POST /ai/v1/embeddings while the provider is busy with the same model: small requests share one call. */
import { describe, expect, test } from 'bun:test'
import { callEndpoint, compositeOf, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import {
  answer,
  cutBody,
  gate,
  json,
  reset,
  type Behaviour,
  type ScriptedRequest,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { until } from '#test/support/until.ts'

const waits = ['embeddings.join_milliseconds=1000']

function inputsOf(request: ScriptedRequest): readonly unknown[] {
  const { input } = request.json()
  return Array.isArray(input) ? (input as unknown[]) : [input]
}

/** An upstream whose vector for a text is the text itself, and which counts a token for each character. */
function echo(request: ScriptedRequest): Behaviour {
  const inputs = inputsOf(request)
  const data = inputs.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const total = inputs.join('').length
  return json({ object: 'list', data, model: 'm', usage: { prompt_tokens: total, total_tokens: total } })
}

/** A gateway whose upstream is busy with one embeddings call until `free` is called. */
async function busyGateway(set: readonly string[] = waits, script: (request: ScriptedRequest) => Behaviour = echo) {
  const gateway = await startGateway({ set })
  gateway.upstream.scriptNext((request) => [gate, ...echo(request)])
  gateway.upstream.script(script)
  const first = callEndpoint(gateway, 'embeddings', { input: 'busy' })
  const busy = await gateway.upstream.nextRequest()
  const free = async (): Promise<void> => {
    busy.release()
    expect(await vectorsOf(await first)).toEqual(['busy'])
  }
  return { gateway, free, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

async function vectorsOf(response: Response): Promise<readonly unknown[]> {
  const body = (await response.json()) as { readonly data: readonly { index: number; embedding: unknown }[] }
  expect(body.data.map((each) => each.index)).toEqual(body.data.map((_, index) => index))
  return body.data.map((each) => each.embedding)
}

/** Resolves when so many requests hold a slot. */
function underWay(gateway: GatewayApp, count: number): Promise<void> {
  return until(async () => (await gateway.metric('sluice_inflight_requests{model="plain"}')) === count)
}

/** Everything after the first call, as the inputs of each. */
function calls(gateway: GatewayApp): readonly (readonly unknown[])[] {
  return gateway.upstream.requests.slice(1).map(inputsOf)
}

describe('requests that come while the upstream is busy', () => {
  test('go out in one call when it is free, and each gets its own vectors and its share of the tokens', async () => {
    await using subject = await busyGateway()
    const { gateway, free } = subject
    const inputs = ['a', ['bb', 'ccc'], 'dddd', ['e']]
    const asked = inputs.map((input, index) =>
      callEndpoint(gateway, 'embeddings', { input }, { headers: { 'x-request-id': `part-${index}` } }),
    )
    await underWay(gateway, 5)
    expect(gateway.upstream.requests).toHaveLength(1)
    await free()
    const answered = await Promise.all((await Promise.all(asked)).map(vectorsOf))
    expect(answered).toEqual(inputs.map((input) => [input].flat()))
    expect(calls(gateway)).toHaveLength(1)
    expect(calls(gateway)[0]).toHaveLength(5)
    const rows = await Promise.all(inputs.map((_, index) => gateway.usageOf(`part-${index}`)))
    expect(rows.map((row) => row.promptTokens)).toEqual([1, 5, 4, 1])
    for (const row of rows) expect(row).toMatchObject({ status: 200, attempts: 1, upstreamStatus: 200 })
    await underWay(gateway, 0)
  })

  test('go out at once when there are enough of them', async () => {
    await using subject = await busyGateway([...waits, 'embeddings.join_items_max=4'])
    const { gateway, free } = subject
    const asked = ['a', 'b', 'c', 'd', 'e'].map((input) => callEndpoint(gateway, 'embeddings', { input }))
    await until(() => gateway.upstream.requests.length === 2)
    expect(calls(gateway)[0]).toHaveLength(4)
    await free()
    expect((await Promise.all((await Promise.all(asked)).map(vectorsOf))).flat()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('go out after the time of the setting although it stays busy', async () => {
    await using subject = await busyGateway(['embeddings.join_milliseconds=1'])
    const { gateway, free } = subject
    const asked = ['a', 'b'].map((input) => callEndpoint(gateway, 'embeddings', { input }))
    expect((await Promise.all((await Promise.all(asked)).map(vectorsOf))).flat()).toEqual(['a', 'b'])
    await free()
  })

  test('are joined only with those that ask for the same', async () => {
    await using subject = await busyGateway()
    const { gateway, free } = subject
    const different: readonly (readonly [object, Record<string, string>])[] = [
      [{ input: 'a' }, {}],
      [{ input: 'b' }, { 'user-agent': 'another/1', 'x-stainless-retry-count': '1' }],
      [{ input: 'c', dimensions: 8 }, {}],
      [{ input: 'd', encoding_format: 'base64' }, {}],
      [{ input: 'e' }, { 'openai-beta': 'x' }],
      [{ input: [7] }, {}],
    ]
    const asked = different.map(([fields, headers]) => callEndpoint(gateway, 'embeddings', { ...fields }, { headers }))
    await underWay(gateway, 7)
    await free()
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200)
    expect(calls(gateway).map((inputs) => inputs.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)))).toEqual(
      expect.arrayContaining([['a', 'b'], ['c'], ['d'], ['e'], [7]]),
    )
    expect(calls(gateway)).toHaveLength(5)
  })

  test('are not joined when they are large, and with the setting at 0 never', async () => {
    await using large = await busyGateway([...waits, 'embeddings.join_items_max=4'])
    const input = ['a', 'b', 'c']
    expect(await vectorsOf(await callEndpoint(large.gateway, 'embeddings', { input }))).toEqual(input)
    await large.free()
    await using off = await busyGateway(['embeddings.join_milliseconds=0'])
    expect(await vectorsOf(await callEndpoint(off.gateway, 'embeddings', { input: 'a' }))).toEqual(['a'])
    await off.free()
  })
})

test('a request that comes to an idle upstream goes out at once', async () => {
  await using gateway = await startGateway({ set: ['embeddings.join_milliseconds=1000'] })
  gateway.upstream.script(echo)
  for (let index = 0; index < 20; index += 1)
    await vectorsOf(await callEndpoint(gateway, 'embeddings', { input: `${index}` }))
  expect(gateway.upstream.requests.map(inputsOf)).toEqual(Array.from({ length: 20 }, (_, index) => [`${index}`]))
})

describe('a client that leaves', () => {
  test('before the call takes its inputs with it', async () => {
    await using subject = await busyGateway()
    const { gateway, free } = subject
    const leaving = new AbortController()
    const left = callEndpoint(gateway, 'embeddings', { input: 'left' }, { signal: leaving.signal }).catch(() => null)
    const stays = callEndpoint(gateway, 'embeddings', { input: 'stays' })
    await underWay(gateway, 3)
    leaving.abort()
    await left
    await underWay(gateway, 2)
    await free()
    expect(await vectorsOf(await stays)).toEqual(['stays'])
    expect(calls(gateway)).toEqual([['stays']])
  })

  test('during the call disturbs nobody else, and when all have left the call ends', async () => {
    await using subject = await busyGateway([...waits, 'embeddings.join_items_max=2'], (request) => [
      gate,
      ...echo(request),
    ])
    const { gateway, free } = subject
    const leaving = new AbortController()
    const ask = (input: string, signal?: AbortSignal) =>
      callEndpoint(gateway, 'embeddings', { input }, signal && { signal })
    const left = ask('left', leaving.signal).catch(() => null)
    await underWay(gateway, 2)
    const stays = ask('stays')
    const shared = await gateway.upstream.nextRequest()
    leaving.abort()
    await left
    await underWay(gateway, 2)
    shared.release()
    expect(await vectorsOf(await stays)).toEqual(['stays'])

    const both = new AbortController()
    const gone = ['x', 'y'].map((input) => ask(input, both.signal).catch(() => null))
    const dropped = await gateway.upstream.nextRequest()
    both.abort()
    await Promise.all([...gone, dropped.closed])
    expect(dropped.aborted).toBe(true)
    await underWay(gateway, 1)
    await free()
  })
})

describe('a joined call that fails', () => {
  const bad = (request: ScriptedRequest) =>
    inputsOf(request).includes('bad') ? json(errorObject('Too long.', 'too_long'), 400) : echo(request)

  test('by a refusal is asked again for each, so that one bad input fails alone', async () => {
    await using subject = await busyGateway(waits, bad)
    const { gateway, free } = subject
    const asked = ['good', 'bad', 'fine'].map((input) => callEndpoint(gateway, 'embeddings', { input }))
    await underWay(gateway, 4)
    await free()
    const [good, refused, fine] = await Promise.all(asked)
    expect([await vectorsOf(good!), await vectorsOf(fine!)]).toEqual([['good'], ['fine']])
    expect([refused!.status, await refused!.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.anything() }),
    ])
    expect(calls(gateway)).toHaveLength(4)
  })

  const faults: readonly (readonly [string, Behaviour, number])[] = [
    ['a 500', json(errorObject('No.'), 500), 502],
    ['a 429', json(errorObject('Slow down.'), 429, { 'Retry-After': '7' }), 429],
    ['a reset', [reset], 502],
    ['a body that breaks', cutBody({ data: [] }, reset), 502],
  ]
  for (const [what, behaviour, status] of faults) {
    test(`by ${what} fails for all alike, and is not asked again`, async () => {
      await using subject = await busyGateway(waits, () => behaviour)
      const { gateway, free } = subject
      const asked = ['a', 'b', 'c'].map((input) => callEndpoint(gateway, 'embeddings', { input }))
      await underWay(gateway, 4)
      await free()
      for (const response of await Promise.all(asked)) {
        expect(response.status).toBe(status)
        if (status === 429) expect(response.headers.get('retry-after')).toBe('7')
        await response.arrayBuffer()
      }
      // A kept connection that breaks before an answer is tried once more on a fresh one, for all together.
      expect(calls(gateway)).toHaveLength(what === 'a reset' ? 2 : 1)
      await underWay(gateway, 0)
    })
  }

  for (const [what, behaviour] of faults.filter(([, , status]) => status === 502)) {
    test(`by ${what} is one failure of its provider, however many requests were in it`, async () => {
      await using gateway = await startGateway({ set: [...waits, 'health.failures_to_eject=2'] })
      const names = [
        await modelWithEndpoints(gateway, ['embeddings']),
        await modelWithEndpoints(gateway, ['embeddings']),
      ]
      const model = await compositeOf(gateway, names)
      gateway.upstream.script(echo)
      gateway.upstream.scriptNext((request) => [gate, ...echo(request)])
      const first = callEndpoint(gateway, 'embeddings', { model, input: 'busy' })
      const busy = await gateway.upstream.nextRequest()
      const asked = ['a', 'b', 'c'].map((input) => callEndpoint(gateway, 'embeddings', { model, input }))
      await until(async () => (await gateway.metric(`sluice_inflight_requests{model="${model}"}`)) === 4)
      // A connection that breaks before an answer is tried once more by the joined call itself.
      gateway.upstream.scriptNext(behaviour, ...(what === 'a reset' ? [behaviour] : []))
      busy.release()
      await (await first).arrayBuffer()
      const [provider = '', other = ''] = names
      for (const response of await Promise.all(asked)) {
        expect([response.status, response.headers.get('x-sluice-provider')]).toEqual([200, other])
        await response.arrayBuffer()
      }
      const next = await callEndpoint(gateway, 'embeddings', { model, input: 'next' })
      expect(next.headers.get('x-sluice-provider')).toBe(provider)
      await next.arrayBuffer()
    })
  }

  test('by vectors that are not one for each input is asked again for each', async () => {
    const forgetful = (request: ScriptedRequest) =>
      inputsOf(request).length > 1 ? answer(200, {}, '{"data":[{"embedding":[1]}]}') : echo(request)
    await using subject = await busyGateway(waits, forgetful)
    const asked = ['a', 'b'].map((input) => callEndpoint(subject.gateway, 'embeddings', { input }))
    await underWay(subject.gateway, 3)
    await subject.free()
    expect((await Promise.all((await Promise.all(asked)).map(vectorsOf))).flat()).toEqual(['a', 'b'])
  })
})
