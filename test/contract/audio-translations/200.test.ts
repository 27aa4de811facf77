/** POST /ai/v1/audio/translations: as JSON, as text and as subtitles. */
import { expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers } from '#test/support/contract/endpoint-samples.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { answer } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()
const ask = (requestId: string) =>
  callEndpoint(gateway(), 'audio/translations', {}, { headers: { 'x-request-id': requestId } })

test('the recording arrives under the name that the upstream knows, and the answer is what it sent', async () => {
  const response = await ask('form')
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['audio/translations']])
  const received = await gateway().received('form')
  const { body, path } = received
  const headers = { 'content-type': received.header('content-type')! }
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData()
  expect([path, form.get('model')]).toEqual(['/v1/audio/translations', 'upstream-model'])
  expect(await (form.get('file') as File).text()).toBe('a recording')
  expect(await gateway().usageOf('form')).toMatchObject({ endpoint: 'audio/translations', modelAsked: 'plain' })
})

test('subtitles and plain text are the bytes and the type that the upstream sent', async () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n'
  for (const type of ['text/vtt; charset=utf-8', 'text/plain', 'Text/SRT']) {
    gateway().upstream.scriptNext(answer(200, { 'Content-Type': type }, vtt))
    const response = await ask('text')
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, vtt])
  }
})

test('JSON that is cut off is 502', async () => {
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, '{"text":'))
  const promised = { status: 502, type: 'upstream_error', code: 'upstream_invalid_response' } as const
  await expectRefusal(await ask('broken'), promised)
})
