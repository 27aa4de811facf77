/** POST /ai/v1/images/variations: a form passed on. */
import { expect, test } from 'bun:test'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { answer, json } from '#test/support/upstream/upstream-behaviours.ts'

const gateway = gatewayOfFile()
const ask = (requestId: string) =>
  callEndpoint(gateway(), 'images/variations', {}, { headers: { 'x-request-id': requestId } })

test('the picture arrives under the name that the upstream knows, and the answer is what it sent', async () => {
  const response = await ask('form')
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['images/variations']])
  const received = await gateway().received('form')
  const { body, path } = received
  const headers = { 'content-type': received.header('content-type')! }
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData()
  expect([path, form.get('model')]).toEqual(['/v1/images/variations', 'upstream-model'])
  expect(await (form.get('image') as File).text()).toBe('a picture')
  const row = await gateway().usageOf('form')
  expect(row).toMatchObject({ endpoint: 'images/variations', modelAsked: 'plain', promptTokens: null })
})

test('what the upstream counts is recorded', async () => {
  gateway().upstream.scriptNext(json({ data: [], usage: mediaUsage }))
  await (await ask('counted')).arrayBuffer()
  expect(await gateway().usageOf('counted')).toMatchObject({ promptTokens: 20, completionTokens: 100 })
})

test('JSON that is cut off is 502', async () => {
  gateway().upstream.scriptNext(answer(200, { 'Content-Type': 'application/json' }, '{"data":'))
  const promised = { status: 502, type: 'upstream_error', code: 'upstream_invalid_response' } as const
  await expectRefusal(await ask('broken'), promised)
})
