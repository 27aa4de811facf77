/**
 * Streams of POST /ai/v1/responses that break after their 200 has gone out: an error event, for a
 * translated one response.failed after it, never response.completed, and the end.
 */
import { describe, expect, test } from 'bun:test'
import { askDialect, nativeModel, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'
import {
  nativeResponseEvents,
  readTypedEvents,
  typedEvents,
  typedEventText,
} from '#test/support/contract/dialect-samples.ts'
import { gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
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
const code = 'upstream_stream_error'
const broken = { type: 'error', code, message: expect.any(String), param: null }
const endings: readonly (readonly [string, Behaviour])[] = [
  ['closes the connection', [close]],
  ['resets the connection', [reset]],
  ['ends its body in good order without having finished', [streamEnd]],
]

/** The whole text of a stream that breaks only when its beginning has gone out. */
async function read(model: string, behaviour: Behaviour): Promise<string> {
  gateway().upstream.scriptNext(behaviour)
  const headers = { 'x-request-id': `broken-${crypto.randomUUID()}` }
  const response = await askDialect(gateway(), responsesEndpoint, { model, stream: true }, { headers })
  expect(response.status).toBe(200)
  ;(await gateway().received(headers['x-request-id'])).release()
  const text = await response.text()
  expect(text).not.toContain('response.completed')
  const row = await gateway().usageOf(headers['x-request-id'])
  expect(row).toMatchObject({ endpoint: 'responses', status: 502, code, upstreamStatus: 200 })
  return text
}

describe('translated', () => {
  const begun = [streamHead, ...events(chatChunks().slice(0, 2)), gate]
  for (const [how, ending] of endings) {
    test(`a provider that ${how} ends the response as failed, with what was said so far`, async () => {
      const told = readTypedEvents(await read('plain', [...begun, ...ending]))
      expect(told.at(-2)).toMatchObject(broken)
      expect(told.at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error' }, output: [{ content: [{ text: 'Hello' }] }] },
      })
    })
  }

  test("the provider's own error event is the error, with its message", async () => {
    const text = await read('plain', [...begun, ...events([errorObject('No capacity left.')]), hang])
    expect(readTypedEvents(text).at(-2)).toMatchObject({ message: expect.stringContaining('No capacity left.') })
  })
})

describe('passed through', () => {
  const begun = nativeResponseEvents.slice(0, 4)
  for (const [how, ending] of endings) {
    test(`a provider that ${how} leaves what came, then an error event`, async () => {
      const model = await nativeModel(gateway(), responsesEndpoint)
      const text = await read(model, [...typedEvents(begun), gate, ...ending])
      expect(text).toStartWith(begun.map(typedEventText).join(''))
      expect(readTypedEvents(text).slice(begun.length)).toMatchObject([broken])
    })
  }
})

test('a whole stream that ends by saying that it failed passes as it is, and is recorded as a failure', async () => {
  const model = await nativeModel(gateway(), responsesEndpoint)
  const error = { code: 'server_error', message: 'No capacity.' }
  const failed = { type: 'response.failed', response: { id: 'resp_native', status: 'failed', error } }
  const told = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null }
  const rows = [
    [failed, 502, 'upstream_error'],
    [told, 429, 'upstream_rate_limited'],
  ] as const
  for (const [last, status, recorded] of rows) {
    const sent = [...nativeResponseEvents.slice(0, 4), last]
    gateway().upstream.scriptNext([...typedEvents(sent), streamEnd])
    const headers = { 'x-request-id': `said-${last.type}` }
    const response = await askDialect(gateway(), responsesEndpoint, { model, stream: true }, { headers })
    expect([response.status, await response.text()]).toEqual([200, sent.map(typedEventText).join('')])
    expect(await gateway().usageOf(headers['x-request-id'])).toMatchObject({ status, code: recorded, streamed: true })
  }
})
