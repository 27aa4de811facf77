/** POST /ai/v1/completions, answered. */
import { describe, expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, textUsage } from '#test/support/contract/endpoint-samples.ts'
import { answer, brokenStream, eventText, reset, stream } from '#test/support/upstream/upstream-behaviours.ts'
import { doneEvent } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const chunk = (text: string, finish: string | null = null, more: object = {}) => ({
  id: 'cmpl-1',
  object: 'text_completion',
  model: 'upstream-model',
  choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  ...more,
})
const usageEvent = { id: 'cmpl-1', object: 'text_completion', choices: [], usage: textUsage }

test('a whole answer is the bytes that the upstream sent, and is counted', async () => {
  const sent = JSON.stringify({ ...endpointAnswers['completions'], big: 0 }).replace('"big":0', '"big":1.50e0')
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, sent))
  const response = await callEndpoint(gateway(), 'completions', {}, { headers: { 'x-request-id': 'whole' } })
  expect([response.status, await response.text()]).toEqual([200, sent])
  const received = await gateway().received('whole')
  expect([received.path, received.json()]).toEqual([
    '/v1/completions',
    { model: 'upstream-model', prompt: 'Once upon a time' },
  ])
  expect(await gateway().usageOf('whole')).toMatchObject({
    endpoint: 'completions',
    streamed: false,
    promptTokens: 7,
    completionTokens: 4,
    status: 200,
  })
})

test('a suffix, for models that fill in the middle, goes to the upstream', async () => {
  const fields = { prompt: 'def f(', suffix: '):\n  return 1' }
  const headers = { 'x-request-id': 'suffix' }
  expect((await callEndpoint(gateway(), 'completions', fields, { headers })).status).toBe(200)
  expect((await gateway().received('suffix')).json()).toEqual({ model: 'upstream-model', ...fields })
})

test('a prompt may be texts, tokens, or left out', async () => {
  for (const prompt of [['a', 'b'], [1, 2], [[1], [2]], undefined]) {
    const response = await callEndpoint(gateway(), 'completions', { prompt })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    expect(gateway().upstream.requests.at(-1)!.json()['prompt']).toEqual(prompt)
  }
})

describe('a stream', () => {
  const events = [chunk(' there'), chunk(' was', 'stop')]

  test('is relayed event by event; its usage is asked for, counted and taken out again', async () => {
    gateway().upstream.scriptNext(stream([...events, usageEvent, doneEvent]))
    const headers = { 'x-request-id': 'streamed' }
    const response = await callEndpoint(gateway(), 'completions', { stream: true }, { headers })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await response.text()).toBe([...events, doneEvent].map(eventText).join(''))
    expect((await gateway().received('streamed')).json()['stream_options']).toEqual({ include_usage: true })
    expect(await gateway().usageOf('streamed')).toMatchObject({ streamed: true, promptTokens: 7, completionTokens: 4 })
  })

  test('keeps its usage when the client asked for it', async () => {
    gateway().upstream.scriptNext(stream([...events, usageEvent, doneEvent]))
    const asked = { stream: true, stream_options: { include_usage: true } }
    const response = await callEndpoint(gateway(), 'completions', asked)
    expect(await response.text()).toBe([...events, usageEvent, doneEvent].map(eventText).join(''))
  })

  test('that breaks never looks complete', async () => {
    gateway().upstream.scriptNext(brokenStream([chunk(' there')], reset))
    const text = await (await callEndpoint(gateway(), 'completions', { stream: true })).text()
    expect(text).toStartWith(eventText(chunk(' there')))
    expect(text).toContain('"code":"upstream_stream_error"')
    expect(text).not.toContain(doneEvent)
  })
})
