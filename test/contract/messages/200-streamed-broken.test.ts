/**
 * Streams of POST /ai/v1/messages that break after their 200 has gone out: an error event in
 * Anthropic's words, no message_stop, and the end.
 */
import { describe, expect, test } from 'bun:test'
import { askDialect, messagesEndpoint, nativeModel } from '#test/support/contract/dialect-contract.ts'
import {
  nativeMessageEvents,
  readTypedEvents,
  typedEvents,
  typedEventText,
} from '#test/support/contract/dialect-samples.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { startGateway } from '#test/support/app/gateway-app.ts'
import {
  close,
  events,
  gate,
  hang,
  reset,
  streamEnd,
  streamHead,
  type Behaviour,
} from '#test/support/upstream/upstream-behaviours.ts'
import { chatChunks, errorObject } from '#test/support/upstream/upstream-samples.ts'

const gateway = gatewayOfFile()
const broken = { type: 'api_error', message: expect.any(String), details: { error_code: 'upstream_stream_error' } }
const endings: readonly (readonly [string, Behaviour])[] = [
  ['closes the connection', [close]],
  ['resets the connection', [reset]],
  ['ends its body in good order without having finished', [streamEnd]],
]

/** The whole text of a stream that breaks only when its beginning has gone out. */
async function read(model: string, behaviour: Behaviour): Promise<string> {
  gateway().upstream.scriptNext(behaviour)
  const headers = { 'x-request-id': `broken-${crypto.randomUUID()}` }
  const response = await askDialect(gateway(), messagesEndpoint, { model, stream: true }, { headers })
  expect(response.status).toBe(200)
  ;(await gateway().received(headers['x-request-id'])).release()
  const text = await response.text()
  expect(await gateway().usageOf(headers['x-request-id'])).toMatchObject({
    endpoint: 'messages',
    status: 502,
    code: 'upstream_stream_error',
    upstreamStatus: 200,
  })
  return text
}

describe('translated', () => {
  const begun = [streamHead, ...events(chatChunks().slice(0, 2)), gate]
  for (const [how, ending] of endings) {
    test(`a provider that ${how} ends the message with an error and does not complete it`, async () => {
      const told = readTypedEvents(await read('plain', [...begun, ...ending]))
      expect(told.map(({ type }) => type)).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'error',
      ])
      expect(told.at(-1)).toEqual({ type: 'error', error: broken })
    })
  }

  test("the provider's own error event is the error, with its message", async () => {
    const text = await read('plain', [...begun, ...events([errorObject('No capacity left.')]), hang])
    expect(readTypedEvents(text).at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('No capacity left.') },
    })
    expect(text).not.toContain('message_stop')
  })

  test('a chunk that is none is an error of the provider, and what came before is kept', async () => {
    gateway().upstream.scriptNext([...begun, ...events(['[]']), hang])
    const headers = { 'x-request-id': 'no-chunk' }
    const response = await askDialect(gateway(), messagesEndpoint, { stream: true }, { headers })
    const received = await gateway().received('no-chunk')
    received.release()
    const told = readTypedEvents(await response.text())
    expect(told.at(-1)).toMatchObject({ error: { details: { error_code: 'upstream_invalid_response' } } })
    expect(told).toHaveLength(4)
    await received.closed
  })

  test('a provider that falls silent is timeout_error', async () => {
    await using impatient = await startGateway({ set: ['gateway.idle_seconds=0.1'] })
    impatient.upstream.scriptNext([...begun.slice(0, -1), hang])
    const response = await askDialect(impatient, messagesEndpoint, { stream: true })
    const told = readTypedEvents(await response.text())
    expect(told.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'timeout_error', details: { error_code: 'upstream_timeout' } },
    })
  })

  test('keep-alives before the death of the provider leave one error event and nothing else', async () => {
    await using patient = await startGateway({ set: ['gateway.keepalive_seconds=0.05'] })
    patient.upstream.scriptNext([streamHead, gate, close])
    const headers = { 'x-request-id': 'comments-first' }
    const response = await askDialect(patient, messagesEndpoint, { stream: true }, { headers })
    ;(await patient.received('comments-first')).release()
    expect(response.status).toBe(200)
    expect(readTypedEvents(await response.text())).toEqual([{ type: 'error', error: broken }])
  })
})

describe('passed through', () => {
  const begun = nativeMessageEvents.slice(0, 4)
  for (const [how, ending] of endings) {
    test(`a provider that ${how} leaves what came, then the same error`, async () => {
      const model = await nativeModel(gateway(), messagesEndpoint)
      const text = await read(model, [...typedEvents(begun), gate, ...ending])
      expect(text).toStartWith(begun.map(typedEventText).join(''))
      expect(readTypedEvents(text).slice(begun.length)).toEqual([{ type: 'error', error: broken }])
    })
  }

  test("the provider's own error event is worded as ours, and keeps its message", async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded for now' } }
    const text = await read(model, [...typedEvents(begun), gate, ...[...typedEvents([overloaded])].slice(1), hang])
    expect(readTypedEvents(text).at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('Overloaded for now') },
    })
  })

  test('the input that its beginning told is counted', async () => {
    const model = await nativeModel(gateway(), messagesEndpoint)
    gateway().upstream.scriptNext([...typedEvents(begun), gate, reset])
    const headers = { 'x-request-id': 'counted' }
    const response = await askDialect(gateway(), messagesEndpoint, { model, stream: true }, { headers })
    ;(await gateway().received('counted')).release()
    await response.text()
    expect(await gateway().usageOf('counted')).toMatchObject({ promptTokens: 25, status: 502 })
  })
})
