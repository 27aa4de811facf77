/** 200 of POST /generate_stream: events of one text each, no terminator, failures of their own. */
import { describe, expect, test } from 'bun:test'
import { answering, chunks, promptIn, textsOf, tokenEvents } from '#test/support/app/generation-app.ts'
import { echoing, useGeneration } from '#test/support/contract/generation-contract.ts'
import { gate, hang, json, reset, streamHead, type Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = useGeneration()

describe('the stream', () => {
  test('has one event for each text, a batch id of 0 for a single prompt, and ends without a last word', async () => {
    echoing(app())
    const answer = await app().generate('generate_stream', { text: 'hello' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(await answer.text()).toBe('data: {"text":"hello","batch_id":0}\n\ndata: {"text":"!","batch_id":0}\n\n')
  })

  test('of a batch keeps the order of each prompt, and loses nothing', async () => {
    const prompts = Array.from({ length: 40 }, (_, index) => `p${index}`)
    app().upstream.script((request) => {
      const prompt = promptIn(request.json())
      return answering(Array.from({ length: 1 + (Number(prompt.slice(1)) % 7) }, (_, at) => `${prompt}.${at} `))
    })
    const texts = textsOf(tokenEvents(await (await app().generate('generate_stream', { text: prompts })).text()))
    const expected = prompts.map((prompt, index) =>
      Array.from({ length: 1 + (index % 7) }, (_, at) => `${prompt}.${at} `).join(''),
    )
    expect(texts).toEqual(Object.fromEntries(expected.entries()))
  })

  test('is recorded with its first token', async () => {
    echoing(app())
    const headers = { 'x-request-id': 'streamed' }
    const body = await (await app().generate('generate_stream', { text: ['a', 'b'] }, { headers })).text()
    const row = await app().usageOf('streamed')
    expect(row).toMatchObject({ endpoint: 'generate_stream', streamed: true, status: 200, promptTokens: 22 })
    expect(row.responseBytes).toBe(body.length)
    expect(row.firstTokenMs).not.toBeNull()
  })

  test('says at its end that an answer which had to have a form is incomplete', async () => {
    app().upstream.script(answering(['{"a":'], 'length'))
    const payload = { text: 'a', regex_string: '\\{"a":1\\}', consumer_group: 'vision' }
    const refused = await app().generate('generate_stream', payload)
    expect(refused.status).toBe(422)
    const stream = await (await app().generate('generate_stream', { text: 'a', json_schema: {} })).text()
    expect(tokenEvents(stream).map(({ data }) => data)).toEqual([
      { text: '{"a":', batch_id: 0 },
      { text: '', batch_id: 0, incomplete: true },
    ])
  })
})

describe('the head', () => {
  test('waits for the first text of any prompt, and the others need not have begun', async () => {
    app().upstream.script((request) => (promptIn(request.json()) === 'quick' ? answering(['now']) : [streamHead, hang]))
    const client = new AbortController()
    const answer = await app().generate('generate_stream', { text: ['slow', 'quick'] }, { signal: client.signal })
    expect(answer.status).toBe(200)
    const reader = answer.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: {"text":"now","batch_id":1}\n\n')
    client.abort()
  })

  test('goes out with a comment when all are silent, and a failure then comes in-band', async () => {
    const behaviour: Behaviour = [streamHead, gate, reset]
    app().upstream.script(behaviour)
    await app().operate('PUT', '/settings/gateway.keepalive_seconds', { value: 0.05 })
    const answer = await app().generate('generate_stream', { text: 'a' })
    expect(answer.status).toBe(200)
    app().upstream.release()
    const text = await answer.text()
    await app().operate('DELETE', '/settings/gateway.keepalive_seconds')
    expect(tokenEvents(text)).toEqual([
      { name: 'error', data: { error: expect.objectContaining({ code: 'upstream_stream_error' }), batch_id: 0 } },
    ])
  })
})

describe('prompt 3 of 8 that fails', () => {
  const prompts = Array.from({ length: 8 }, (_, index) => `p${index}`)
  const others = Object.fromEntries(
    prompts.map((prompt, index) => [index, `${prompt}!`] as const).filter(([index]) => index !== 3),
  )

  function failing(behaviour: Behaviour): void {
    app().upstream.script((request) => {
      const prompt = promptIn(request.json())
      return prompt === 'p3' ? behaviour : answering([prompt, '!'])
    })
  }

  test('before its first token has an event of its own, and the others go on', async () => {
    failing(json(errorObject('boom'), 500))
    const headers = { 'x-request-id': 'three-of-eight' }
    const answer = await app().generate('generate_stream', { text: prompts }, { headers })
    expect(answer.status).toBe(200)
    const events = tokenEvents(await answer.text())
    expect(textsOf(events)).toEqual(others)
    expect(events.filter(({ name }) => name === 'error')).toEqual([
      {
        name: 'error',
        data: {
          error: { message: expect.any(String), type: 'upstream_error', param: null, code: 'upstream_error' },
          batch_id: 3,
        },
      },
    ])
    expect(await app().usageOf('three-of-eight')).toMatchObject({ status: 502, code: 'upstream_error', attempts: 8 })
  })

  test('after its first token keeps what it has said, and has its event after that', async () => {
    failing([streamHead, ...chunks(['p3', ' and']), gate, reset])
    const answer = await app().generate('generate_stream', { text: prompts })
    app().upstream.release()
    const events = tokenEvents(await answer.text())
    expect(textsOf(events)).toEqual({ ...others, 3: 'p3 and' })
    const own = events.filter(({ data }) => data['batch_id'] === 3)
    expect(own.map(({ name }) => name)).toEqual([null, null, 'error'])
    expect(own[2]?.data['error']).toMatchObject({ code: 'upstream_stream_error' })
  })

  test('fails the whole answer of /generate, which names it', async () => {
    failing(json(errorObject('boom'), 500))
    const answer = await app().generate('generate', { text: prompts })
    expect(answer.status).toBe(502)
    const { error } = (await answer.json()) as { error: { message: string; param: string } }
    expect([error.param, error.message.startsWith('Prompt 3: ')]).toEqual(['text.3', true])
  })
})

test('a single prompt that breaks after its first token never looks complete', async () => {
  app().upstream.script([streamHead, ...chunks(['some']), gate, reset])
  const answer = await app().generate('generate_stream', { text: 'a' })
  app().upstream.release()
  const events = tokenEvents(await answer.text())
  expect(events.map(({ name }) => name)).toEqual([null, 'error'])
  expect(events[1]?.data).toMatchObject({ batch_id: 0, error: { code: 'upstream_stream_error' } })
})
