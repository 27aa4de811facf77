/**
 * The generation endpoints when things happen at once: clients that leave or do not read, requests
 * that compete, upstreams that fail over, and servers of other kinds behind them.
 */
import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  answering,
  chunks,
  formOf,
  made,
  picture,
  promptIn,
  startGeneration,
  textsOf,
  tokenEvents,
  type GenerationApp,
} from '#test/support/app/generation-app.ts'
import { echoing } from '#test/support/contract/generation-contract.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { until } from '#test/support/until.ts'
import {
  endlessStream,
  gate,
  hang,
  json,
  modelsOf,
  reset,
  streamHead,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const batch = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`)

test('whatever the order in which upstreams speak, each prompt keeps its own and nothing is lost', async () => {
  await using app = await startGeneration({ set: ['generation.request_concurrency=16'] })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 5 }), { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat(100)),
      async (answers, choices) => {
        app.upstream.script((request) => {
          const pieces = answers[Number(promptIn(request.json()).slice(1))] ?? []
          return [gate, ...answering(pieces)].flatMap((step) => [gate, step])
        })
        const from = app.upstream.requests.length
        const answered = app.generate('generate_stream', { text: batch(answers.length) }).then((each) => each.text())
        await until(() => app.upstream.requests.length === from + answers.length)
        const calls = app.upstream.requests.slice(from)
        // Gates are opened one by one, of whichever upstream is chosen; all of them in the end.
        const gates = answers.map((pieces) => pieces.length + 8)
        while (gates.some((left) => left > 0)) {
          const index = choices.next().value % calls.length
          if ((gates[index] ?? 0) === 0) {
            const next = gates.findIndex((left) => left > 0)
            calls[next]?.release()
            gates[next] = (gates[next] ?? 0) - 1
          } else {
            calls[index]?.release()
            gates[index] = (gates[index] ?? 0) - 1
          }
        }
        const texts = textsOf(tokenEvents(await answered))
        const expected = answers.map((pieces) => pieces.join('')).map((text, index) => [index, text] as const)
        expect(texts).toEqual(Object.fromEntries(expected.filter(([, text]) => text !== '')))
      },
    ),
    { numRuns: 25 },
  )
})

describe('a client', () => {
  test('that leaves in the middle of a batch aborts every call at once, and nothing is started after that', async () => {
    await using app = await startGeneration()
    app.upstream.script(() => [streamHead, ...chunks(['a']), hang])
    const client = new AbortController()
    const headers = { 'x-request-id': 'left' }
    const answer = await app.generate('image_generate_stream', { text: batch(50) }, { signal: client.signal, headers })
    const reader = answer.body!.getReader()
    await reader.read()
    await until(() => app.upstream.requests.length === 8)
    client.abort()
    await Promise.all(app.upstream.requests.map((request) => request.closed))
    expect(await app.usageOf('left')).toMatchObject({ status: 499, code: 'client_closed', attempts: 8 })
    expect(app.upstream.requests.length).toBe(8)
    expect(await app.metric('sluice_inflight_requests{model="vision"}')).toBe(0)
    echoing(app)
    expect(await (await app.generate('generate', { text: 'next' })).json()).toEqual({ text: 'next!' })
  })

  test('that does not read stops the upstreams, costs no memory, and does not hold up others', async () => {
    await using app = await startGeneration({
      set: ['generation.request_concurrency=4', 'generation.model_concurrency=4'],
    })
    const payload = { choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) }, finish_reason: null }] }
    app.upstream.script(() => endlessStream(payload))
    using client = new RawClient(app.port, false)
    const body = JSON.stringify({ text: batch(4) })
    const headers = { 'Content-Type': 'application/json' }
    client.write(rawRequest({ path: '/generate_stream', key: app.keys.main.secret, headers, body }))
    await until(() => client.bytesReceived > 10_000_000)
    client.pause()
    app.advance(2000)
    const calls = app.upstream.requests.slice()
    const sent = (): number => calls.reduce((sum, each) => sum + each.bytesSent, 0)
    Bun.gc(true)
    const rss = process.memoryUsage.rss()
    let before = -1
    while (before !== sent()) {
      before = sent()
      app.upstream.scriptNext(...Array.from({ length: 50 }, () => answering(['ok'])))
      for (let round = 0; round < 50; round += 1)
        expect(await (await app.generate('generate', { text: 'a' })).json()).toEqual({ text: 'ok' })
      expect(sent()).toBeLessThan(400_000_000)
    }
    Bun.gc(true)
    expect(process.memoryUsage.rss() - rss).toBeLessThan(64_000_000)
    client.reset()
    await Promise.all(calls.map((call) => call.closed))
  })
})

test('a server that stops ends a batch with an event for each prompt', async () => {
  await using app = await startGeneration()
  app.upstream.script(() => [streamHead, ...chunks(['a']), hang])
  const answer = await app.generate('generate_stream', { text: batch(30) })
  const [text] = await Promise.all([answer.text(), app.app.close()])
  const failures = tokenEvents(text).filter(({ name }) => name === 'error')
  expect(failures.map(({ data }) => data['batch_id']).toSorted((a, b) => Number(a) - Number(b))).toEqual([
    ...batch(30).keys(),
  ])
  expect(failures.every(({ data }) => (data['error'] as { code: string }).code === 'shutting_down')).toBe(true)
})

describe('requests to one model', () => {
  test('take turns, so that one with many prompts does not hold up one with a single prompt', async () => {
    await using app = await startGeneration({ set: ['generation.model_concurrency=2'] })
    app.upstream.script((request) => [gate, ...answering([promptIn(request.json())])])
    const big = app.generate('generate', { text: batch(20) }).then((answer) => answer.json())
    await until(() => app.upstream.requests.length === 2)
    const small = app.generate('generate', { text: 'small' }).then((answer) => answer.json())
    await until(async () => (await app.metric('sluice_inflight_requests{model="vision"}')) === 2)
    app.upstream.release(4)
    await until(() => app.upstream.requests.length >= 4)
    const prompts = app.upstream.requests.slice(0, 5).map((request) => promptIn(request.json()))
    expect(prompts).toContain('small')
    app.upstream.release(40)
    expect(await small).toEqual({ text: 'small' })
    expect(await big).toEqual({ text: batch(20) })
  })
})

describe('the first prompt of an image', () => {
  test('goes ahead of the others when the setting says so', async () => {
    await using app = await startGeneration({ set: ['generation.leader_first=true'] })
    app.upstream.script((request) =>
      promptIn(request.json()) === 'p0' ? [gate, ...answering(['first'])] : answering(['later']),
    )
    const answered = app.generate('image_generate', { text: batch(6) }).then((answer) => answer.json())
    await until(() => app.upstream.requests.length === 1)
    app.upstream.release()
    expect(await answered).toEqual({ text: ['first', ...Array(5).fill('later')] })
    expect(promptIn(app.upstream.requests[0]!.json())).toBe('p0')
  })

  test('brings the image to vLLM, the others name it, and one that has lost it is sent it again', async () => {
    const options = { flavour: 'vllm' }
    await using app = await startGeneration({ set: ['generation.request_concurrency=1'], options })
    let lost = false
    const image = (body: Readonly<Record<string, unknown>>) =>
      (body as { messages: [{ content: [{ image_url: unknown }] }] }).messages[0].content[0].image_url
    app.upstream.script((request) => {
      const body = request.json()
      if (lost && image(body) === null) return json(errorObject('no such media'), 500)
      return answering([promptIn(body)])
    })
    const send = async () => (await app.generate('image_generate', { text: batch(4) })).json()
    expect(await send()).toEqual({ text: batch(4) })
    const shapes = () => app.upstream.requests.map((request) => image(request.json()) !== null)
    expect(shapes()).toEqual([true, false, false, false])
    app.upstream.forget()
    lost = true
    expect(await send()).toEqual({ text: batch(4) })
    // One vain try, and from then on the image goes with every prompt.
    expect(shapes()).toEqual([true, false, true, true, true])
  })
})

describe('a composite', () => {
  test('moves each prompt on before its first token, and none after it', async () => {
    await using app = await startGeneration({ set: ['failover.max_attempts=3'] })
    await made(app, 'POST', '/models', {
      name: 'both',
      composite: {
        strategy: 'priority',
        components: [
          { model: 'on-refusing', priority: 0 },
          { model: 'plain', priority: 1 },
        ],
      },
    })
    echoing(app)
    const payload = { text: batch(12), consumer_group: 'both' }
    const headers = { 'x-request-id': 'moved' }
    const answer = await app.generate('image_generate', payload, { headers })
    expect(await answer.json()).toEqual({ text: batch(12).map((prompt) => `${prompt}!`) })
    app.upstream.script((request) =>
      promptIn(request.json()) === 'p1' ? [streamHead, ...chunks(['half']), gate, reset] : answering(['whole']),
    )
    const stream = await app.generate('generate_stream', { ...payload, text: batch(2) })
    app.upstream.release()
    const events = tokenEvents(await stream.text())
    expect(textsOf(events)).toEqual({ 0: 'whole', 1: 'half' })
    expect(events.filter(({ name }) => name === 'error').length).toBe(1)
  })

  test('asks only components that can honour the request', async () => {
    await using app = await startGeneration()
    const provider = await made(app, 'POST', '/providers', {
      name: 'engine',
      base_url: app.upstream.url,
      options: { flavour: 'vllm' },
    })
    await made(app, 'POST', '/models', {
      name: 'on-engine',
      provider_id: provider['id'],
      upstream_name: 'engine-model',
    })
    const components = [{ model: 'vision' }, { model: 'on-engine' }]
    await made(app, 'POST', '/models', { name: 'mixed', composite: { strategy: 'weighted', components } })
    echoing(app)
    const payload = { text: batch(10), consumer_group: 'mixed', min_new_tokens: 3 }
    expect((await app.generate('generate', payload)).status).toBe(200)
    const models = app.upstream.requests.map((request) => request.json()['model'])
    expect(new Set(models)).toEqual(new Set(['engine-model']))
  })
})

describe('the flavour of a server', () => {
  async function flavourOf(app: GenerationApp, owner: string): Promise<unknown> {
    app.upstream.script((request) =>
      request.path === '/v1/models' ? modelsOf(owner) : answering([promptIn(request.json())]),
    )
    const provider = await made(app, 'POST', '/providers', { name: `at-${owner}`, base_url: app.upstream.url })
    await made(app, 'POST', '/models', { name: owner, provider_id: provider['id'], upstream_name: 'upstream-model' })
    const from = app.upstream.requests.length
    const payload = { text: 'a', consumer_group: owner, repetition_penalty: 1.5 }
    const answers = [await app.generate('generate', payload), await app.generate('generate', payload)]
    const calls = app.upstream.requests.slice(from)
    expect(calls.filter((call) => call.path === '/v1/models').length).toBe(1)
    if (answers[0]?.status === 422) return 'refused'
    const { repetition_penalty, repeat_penalty, presence_penalty } = calls.at(-1)!.json()
    return { repetition_penalty, repeat_penalty, presence_penalty }
  }

  test('is what its list of models says, asked for once', async () => {
    await using app = await startGeneration()
    expect(await flavourOf(app, 'vllm')).toEqual({ repetition_penalty: 1.5 } as never)
    expect(await flavourOf(app, 'llamacpp')).toEqual({ repeat_penalty: 1.5 } as never)
    expect(await flavourOf(app, 'upstream-model')).toEqual({ presence_penalty: -0.5 } as never)
    expect(await flavourOf(app, 'openai')).toBe('refused')
  })
})

describe('a server of the interface itself behind this one', () => {
  test('is sent forms and payloads as they are, and its tokens come through', async () => {
    await using far = await startGeneration({ options: { flavour: 'vllm' } })
    await using near = await startGeneration()
    const provider = await made(near, 'POST', '/providers', {
      name: 'far',
      kind: 'takeoff',
      base_url: far.url,
      credential: far.keys.main.secret,
    })
    await made(near, 'POST', '/models', { name: 'far-away', provider_id: provider['id'], upstream_name: 'primary' })
    far.upstream.script((request) => answering([promptIn(request.json()), ' ', 'there']))
    const payload = { text: ['a', 'b'], consumer_group: 'far-away', sampling_topk: 40, min_new_tokens: 2 }
    for (const path of ['generate', 'image_generate'] as const)
      expect(await (await near.generate(path, payload)).json()).toEqual({ text: ['a there', 'b there'] })
    expect(far.upstream.requests.at(-1)!.json()).toMatchObject({ top_k: 40, min_tokens: 2 })
    expect(Buffer.from(far.upstream.requests.at(-1)!.body).toString()).toContain(picture.toString('base64'))

    far.upstream.script(() => [streamHead, ...chunks(['half']), gate, reset])
    const broken = await near.generate('image_generate_stream', { text: 'a', consumer_group: 'far-away' })
    far.upstream.release()
    expect(tokenEvents(await broken.text()).map(({ name }) => name)).toEqual([null, 'error'])

    const discovered = await near.operate('POST', `/providers/${String(provider['id'])}/test`)
    expect(await discovered.json()).toMatchObject({ ok: true })
    expect((await near.chat({ model: 'far-away' })).status).toBe(404)
  })
})

test('the practice provider answers about an image', async () => {
  await using app = await startGeneration()
  const provider = await made(app, 'POST', '/providers', { name: 'practice', kind: 'demo' })
  await made(app, 'POST', '/models', { name: 'demo-vision', provider_id: provider['id'] })
  const payload = { text: ['What is it?', 'Why?'], consumer_group: 'demo-vision', max_new_tokens: 500 }
  const { text } = (await (await app.generate('image_generate', payload)).json()) as { text: string[] }
  expect(text.map((each) => each.includes('8 × 8 pixels'))).toEqual([true, true])
  expect(text[1]).toContain('Why?')
})

describe('images on the disk of the server', () => {
  test('are read below the configured directories only, wherever links lead', async () => {
    const root = await mkdtemp(join(tmpdir(), 'sluice-images-'))
    const outside = await mkdtemp(join(tmpdir(), 'sluice-outside-'))
    try {
      await writeFile(join(root, 'in.png'), picture)
      await writeFile(join(outside, 'out.png'), picture)
      await symlink(join(outside, 'out.png'), join(root, 'link.png'))
      await symlink(join(root, 'in.png'), join(root, 'inner.png'))
      await using app = await startGeneration({ set: [`generation.image_roots=${root}`] })
      echoing(app)
      const ask = (path: string) => app.generate('generate', { text: 'a', image_paths: [path] })
      for (const path of ['in.png', 'inner.png']) expect((await ask(join(root, path))).status).toBe(200)
      expect(Buffer.from(app.upstream.requests.at(-1)!.body).toString()).toContain(picture.toString('base64'))
      const bad = [
        '/etc/passwd',
        `${root}/../${outside.split('/').at(-1)}/out.png`,
        join(root, 'link.png'),
        join(root, 'none.png'),
        root,
        '/dev/zero',
      ]
      const answers = await Promise.all(bad.map(async (path) => (await ask(path)).json()))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      const promised = {
        status: 422,
        type: 'invalid_request_error',
        code: 'invalid_image_path',
        param: 'image_paths.0',
      } as const
      await expectRefusal(await ask('/etc/passwd'), promised)
      const two = await app.generate('generate', {
        text: 'a',
        image_paths: [join(root, 'in.png'), join(root, 'in.png')],
      })
      await expectRefusal(two, {
        status: 400,
        type: 'invalid_request_error',
        code: 'too_many_images',
        param: 'image_paths',
      })
      const both = formOf({ text: 'a', image_paths: [join(root, 'in.png')] }, picture)
      expect((await app.generate('image_generate', {}, { form: both })).status).toBe(400)
    } finally {
      for (const folder of [root, outside]) await rm(folder, { recursive: true })
    }
  })
})
