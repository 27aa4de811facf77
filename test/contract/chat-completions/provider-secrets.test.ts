/** What a provider says of its own credential never reaches a client; all else passes byte for byte. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { upstreamCredential } from '#test/support/app/gateway-catalog.ts'
import { answer, chunk, json, streamEnd, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

const told = `Incorrect API key provided: ${upstreamCredential}.`
const hidden = 'Incorrect API key provided: [secret].'

test('a refusal that repeats the credential is passed on without it', async () => {
  gateway.upstream.script(json(errorObject(told, 'invalid_prompt', upstreamCredential), 400))
  const response = await gateway.chat()
  expect(response.status).toBe(400)
  const body = await response.text()
  expect(body).not.toContain(upstreamCredential)
  expect(body).toContain(hidden)
})

test('a whole answer and its headers are passed on without it', async () => {
  const body = JSON.stringify({ ...chatCompletion(), note: told })
  gateway.upstream.script(answer(200, { 'Content-Type': 'application/json', 'X-Ratelimit-Note': told }, body))
  const response = await gateway.chat()
  expect([response.status, response.headers.get('x-ratelimit-note')]).toEqual([200, hidden])
  expect(await response.text()).toBe(body.replace(told, hidden))
})

test('a streamed answer is passed on without it, wherever its pieces are cut', async () => {
  const stream = `data: {"choices":[{"delta":{"content":"${told}"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`
  const first = stream.indexOf(upstreamCredential)
  for (const cut of [
    first,
    first + 1,
    first + 9,
    first + upstreamCredential.length - 1,
    first + upstreamCredential.length,
  ]) {
    const pieces = [chunk(stream.slice(0, cut)), chunk(stream.slice(cut))]
    gateway.upstream.script([streamHead, ...pieces, streamEnd])
    const response = await gateway.stream()
    expect(await response.text()).toBe(stream.replace(told, hidden))
  }
})

test('an error inside a stream is passed on without it', async () => {
  const event = `data: ${JSON.stringify(errorObject(told, 'server_error', 'server_error'))}\n\n`
  gateway.upstream.script([
    streamHead,
    chunk('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'),
    chunk(event),
    streamEnd,
  ])
  const text = await (await gateway.stream()).text()
  expect(text).not.toContain(upstreamCredential)
  expect(text).toContain(hidden)
})
