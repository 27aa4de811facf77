/** Requests that name files of the account: chat completions, responses and messages, native and translated. */
import { describe, expect, test } from 'bun:test'
import type { Endpoint } from '#providers/provider.ts'
import { filesOfTest } from '#test/support/batches/file-client.ts'
import { nativeMessage, nativeResponse } from '#test/support/contract/dialect-samples.ts'
import { modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'

const files = filesOfTest({ set: ['server.max_body_bytes=1000000'] })
const pdf = '%PDF-1.7 a paper'
const gif = 'GIF89a\x01\x00\x01\x00'
const inline = (type: string, text: string): string => `data:${type};base64,${Buffer.from(text).toString('base64')}`

const paths = { 'chat/completions': 'messages', responses: 'input', messages: 'messages' } as const
type Api = keyof typeof paths

function bodyOf(api: Api, model: string, parts: readonly object[], more: object = {}): string {
  return JSON.stringify({
    model,
    ...(api === 'messages' && { max_tokens: 9 }),
    [paths[api]]: [{ role: 'user', content: parts }],
    ...more,
  })
}

const send = (api: Api, body: string, id: string) =>
  files().gateway.request('POST', `/ai/v1/${api}`, {
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    body,
    nonsense: true,
  })

const named: readonly (readonly [Api, (pdf: string, gif: string) => readonly object[]])[] = [
  ['chat/completions', (a) => [{ type: 'file', file: { file_id: a } }]],
  [
    'responses',
    (a, b) => [
      { type: 'input_file', file_id: a },
      { type: 'input_image', file_id: b },
    ],
  ],
  [
    'messages',
    (a, b) => [
      { type: 'document', source: { type: 'file', file_id: a } },
      { type: 'image', source: { type: 'file', file_id: b } },
    ],
  ],
]

describe.each(named)('files named in %s', (api, partsOf) => {
  test.each(['native', 'translated'])('reach a %s model as their content', async (kind) => {
    const { gateway, uploaded } = files()
    const [paper, picture] = [await uploaded(pdf, 'user_data'), await uploaded(gif, 'vision')]
    const endpoint: Endpoint = kind === 'native' ? api : 'chat/completions'
    const model = await modelWithEndpoints(gateway, [endpoint])
    const id = `${kind}-${api.replace('/', '-')}`
    if (kind === 'native' && api !== 'chat/completions')
      gateway.upstream.scriptNext(json(api === 'messages' ? nativeMessage : nativeResponse))
    const answer = await send(api, bodyOf(api, model, partsOf(paper.id, picture.id)), id)
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    const received = Buffer.from((await gateway.received(id)).body).toString()
    expect(received).not.toContain('file_id')
    expect(received).toContain(Buffer.from(pdf).toString('base64'))
    if (api !== 'chat/completions') expect(received).toContain(Buffer.from(gif).toString('base64'))
  })

  test('stand in a streamed request, too', async () => {
    const { gateway, uploaded } = files()
    const { id: pdfId } = await uploaded(pdf, 'user_data')
    const { id: gifId } = await uploaded(gif, 'vision')
    const id = `streamed-${api.replace('/', '-')}`
    const answer = await send(api, bodyOf(api, 'plain', partsOf(pdfId, gifId), { stream: true }), id)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')])
    await answer.text()
    expect(Buffer.from((await gateway.received(id)).body).toString()).toContain(Buffer.from(pdf).toString('base64'))
  })

  test('that are gone or of another account answer 404, in the words of the API', async () => {
    const { gateway, upload } = files()
    const form = { file: pdf, purpose: 'user_data' }
    const { id: foreign } = (await (await upload(form, { key: gateway.keys.other })).json()) as { readonly id: string }
    for (const id of [foreign, `file-${'0'.repeat(32)}`]) {
      const answer = await send(api, bodyOf(api, 'plain', partsOf(id, id)), 'gone')
      const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
      expect([answer.status, error.message]).toEqual([404, expect.stringContaining(id)])
    }
  })

  test('with too many bytes answer 413', async () => {
    const { id } = await files().uploaded(pdf.padEnd(400_000), 'user_data')
    const parts = [...partsOf(id, id), ...partsOf(id, id)]
    expect((await send(api, bodyOf(api, 'plain', parts), 'large')).status).toBe(413)
  })
})

test('only the part that names a file changes', async () => {
  const { gateway, uploaded } = files()
  const { id } = await uploaded(pdf, 'user_data')
  const before = '{ "model":"plain","stream":false , "seed":1.0,"messages":[ {"role":"user" ,"content":[ '
  const after = ',{"type":"file","file":{"file_id":"file-of-the-provider"}} ]} ] }'
  await send('chat/completions', `${before}{"type":"file","file":{"file_id":"${id}"}}${after}`, 'bytes')
  const part = { type: 'file', file: { filename: 'input.jsonl', file_data: inline('application/pdf', pdf) } }
  expect(Buffer.from((await gateway.received('bytes')).body).toString()).toBe(
    `${before.replace('"plain"', '"upstream-model"')}${JSON.stringify(part)}${after}`,
  )
})

test('many files in one request each stand in their place', async () => {
  const { gateway, uploaded } = files()
  const texts = Array.from({ length: 20 }, (_, index) => `Page "${index}" – ü\\\n`)
  const ids = await Promise.all(texts.map(async (text) => (await uploaded(text, 'user_data')).id))
  const model = await modelWithEndpoints(gateway, ['messages'])
  const parts = ids.map((file_id) => ({ type: 'document', source: { type: 'file', file_id } }))
  const result = { type: 'tool_result', tool_use_id: 't', content: parts }
  await (await send('messages', bodyOf('messages', model, [...parts, result]), 'many')).text()
  const { messages } = (await gateway.received('many')).json() as {
    readonly messages: readonly { readonly content: readonly object[] }[]
  }
  const inlined = texts.map((data) => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } }))
  expect(messages[0]?.content).toEqual([...inlined, { ...result, content: inlined }])
})

test('a file that is no image answers 400 that names the field', async () => {
  const { id } = await files().uploaded(pdf, 'vision')
  const answer = await send('responses', bodyOf('responses', 'plain', [{ type: 'input_image', file_id: id }]), 'wrong')
  expect(await files().refusal(answer)).toEqual([400, 'invalid_body', 'input.0.content.0.file_id'])
})
