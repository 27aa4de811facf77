/** POST /ai/v1/images/edits: a form passed on. Large ones are in test/journeys/uploads.test.ts. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { callEndpoint, gatewayOfFile } from '#test/support/contract/endpoint-contract.ts'
import { endpointAnswers, formOf, mediaUsage } from '#test/support/contract/endpoint-samples.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { brokenStream, chunk, reset, streamEnd, streamHead } from '#test/support/upstream/upstream-behaviours.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'

const gateway = gatewayOfFile()

/** A form with these parts in this order, as bytes; every part but `model` is a small file. */
function formText(names: readonly string[], model: string): string {
  const part = (name: string) =>
    name === 'model'
      ? `Content-Disposition: form-data; name="model"\r\n\r\n${model}`
      : `Content-Disposition: form-data; name="${name}"; filename="${name}.png"\r\nContent-Type: image/png\r\n\r\n\0\xff\r\n--not the edge`
  return `${names.map((name) => `--edge\r\n${part(name)}\r\n`).join('')}--edge--\r\n`
}

async function received(requestId: string): Promise<ReceivedRequest> {
  const request = await gateway().received(requestId)
  expect(request.header('content-type')).toMatch(/^multipart\/form-data; boundary=/)
  return request
}

test('a form arrives with its files, and with the name that the upstream knows', async () => {
  const response = await callEndpoint(gateway(), 'images/edits', {}, { headers: { 'x-request-id': 'form' } })
  expect([response.status, await response.json()]).toEqual([200, endpointAnswers['images/edits']])
  const { body, path, headers } = await received('form')
  const type = headers.find(([name]) => name === 'content-type')![1]
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
  expect(path).toBe('/v1/images/edits')
  expect([...form.keys()]).toEqual(['image', 'prompt', 'model'])
  expect(form.get('model')).toBe('upstream-model')
  expect(form.get('prompt')).toBe('with a hat')
  expect(await (form.get('image') as File).text()).toBe('a picture')
  expect(await gateway().usageOf('form')).toMatchObject({
    endpoint: 'images/edits',
    modelAsked: 'plain',
    streamed: false,
    promptTokens: 20,
    completionTokens: 100,
  })
})

test('every other byte passes as it is, wherever the model stands and however the body comes in pieces', async () => {
  const names = fc.shuffledSubarray(['model', 'image', 'mask', 'other'], { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(names, fc.array(fc.nat(400), { maxLength: 5 }), fc.boolean(), async (some, cuts, chunked) => {
      const order = some.includes('model') ? some : [...some, 'model']
      const body = Buffer.from(formText(order, 'plain'), 'latin1')
      const requestId = `pieces-${crypto.randomUUID()}`
      using client = new RawClient(gateway().port)
      const headers = {
        'X-Request-Id': requestId,
        'Content-Type': 'multipart/form-data; boundary=edge',
        ...(chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) }),
      }
      client.write(rawRequest({ path: '/ai/v1/images/edits', key: gateway().keys.main.secret, headers }))
      const ends = [...new Set(cuts.map((at) => at % body.length))].sort((a, b) => a - b)
      for (const [index, end] of [...ends, body.length].entries()) {
        const piece = body.subarray(ends[index - 1] ?? 0, end)
        if (piece.length === 0) continue
        await client.writeAll(
          chunked
            ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
            : piece,
        )
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      if (chunked) client.write('0\r\n\r\n')
      await client.untilText('b64_json')
      const request = await received(requestId)
      expect(Buffer.from(request.body).toString('latin1')).toBe(formText(order, 'upstream-model'))
    }),
    { numRuns: 40 },
  )
})

test('a boundary of any legal form is sent on so that it means the same', async () => {
  for (const boundary of ["'()+_,-./:=?", 'a b']) {
    const body = formText(['model'], 'plain').replaceAll('--edge', `--${boundary}`)
    const headers = {
      'content-type': `multipart/form-data; charset=utf-8; boundary="${boundary}"`,
      'x-request-id': 'edge',
    }
    const response = await gateway().request('POST', '/ai/v1/images/edits', { headers, body })
    expect(response.status).toBe(200)
    expect((await gateway().received('edge')).header('content-type')).toBe(
      `multipart/form-data; boundary="${boundary}"`,
    )
  }
})

describe('a stream', () => {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const partial = event('image_edit.partial_image', { b64_json: 'aGk=', partial_image_index: 0 })
  const completed = event('image_edit.completed', { b64_json: 'aGk=', usage: mediaUsage })
  const ask = (requestId: string) => {
    const form = formOf([
      ['model', 'plain'],
      ['image', new File(['a'], 'a.png')],
      ['stream', 'true'],
    ])
    return callEndpoint(gateway(), 'images/edits', form, { headers: { 'x-request-id': requestId } })
  }

  test('is recognised by the answer, relayed as it comes, and counted', async () => {
    gateway().upstream.scriptNext([streamHead, chunk(partial), chunk(completed), streamEnd])
    const response = await ask('events')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await response.text()).toBe(partial + completed)
    expect(await gateway().usageOf('events')).toMatchObject({ streamed: true, promptTokens: 20, completionTokens: 100 })
  })

  test('that breaks never looks complete', async () => {
    gateway().upstream.scriptNext(brokenStream([], reset))
    expect((await ask('early')).status).toBe(502)
    gateway().upstream.scriptNext([streamHead, chunk(partial), reset])
    expect(await (await ask('late')).text()).toContain('"code":"upstream_stream_error"')
  })
})
