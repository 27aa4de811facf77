import { describe, expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { ApiError } from '#errors/api-error.ts'
import { contextWithBody } from '#test/support/app/request-context.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { anUpstream } from '#test/support/upstream/an-upstream.ts'
import type { ModelRequest } from './model-request.ts'
import { readChatRequest } from './read-chat-request.ts'
import { upstreamBody } from '../upstreams/upstream-body.ts'

const limits = { bytesMax: 10_000_000, readSeconds: 10 }
const messages = '"messages":[{"role":"user","content":"hi"}]'

async function read(body: Bun.BodyInit): Promise<ModelRequest> {
  return readChatRequest(await contextWithBody(body), limits)
}

/** Status, code and field of the refusal. */
async function refusal(body: Bun.BodyInit): Promise<readonly [number, string, string | null]> {
  const error = await rejection(read(body))
  if (!(error instanceof ApiError)) throw error
  expect(error.message).not.toContain('secret')
  return [error.status, error.code, error.detail.param ?? null]
}

/** The body that a streamed request becomes. */
async function streamedBody(body: string, upstreamModel = 'm'): Promise<string> {
  return upstreamBody(await read(body), anUpstream(upstreamModel), true).toString()
}

describe('a request that can be understood', () => {
  test('is kept in its bytes, and only the few fields that matter are read', async () => {
    const body = `\r\n { "model" : "m" , ${messages}, "stream":true,"seed": 12345678901234567890,"x":{"y":[1.0e0]}}\t`
    const { bytes, ...request } = await read(body)
    expect(bytes.toString()).toBe(body)
    expect(request).toMatchObject({ model: 'm', streamed: true, wantsUsage: false })
  })

  test('may spell its names and values with escapes', async () => {
    const body = `{"mod\\u0065l":"g\\u0070t",${messages},"str\\u0065am":true,"stream_options":{"includ\\u0065_usage":true}}`
    expect(await read(body)).toMatchObject({ model: 'gpt', streamed: true, wantsUsage: true })
  })

  test('is not streamed when stream is absent, null or false', async () => {
    for (const stream of ['', ',"stream":null', ',"stream":false']) {
      expect((await read(`{"model":"m",${messages}${stream}}`)).streamed).toBe(false)
    }
  })

  test('may have unknown fields of any form and number, also some that look like ours', async () => {
    const extra = `"models":["m"],"Model":1,"a":{"model":2,"stream":"x","model":3},"same":1,"same":2,"__proto__":{"model":"z"}`
    const request = await read(`{${extra},"model":"m",${messages}}`)
    expect(request.model).toBe('m')
    expect(upstreamBody(request, anUpstream('up'), true).toString()).toBe(`{${extra},"model":"up",${messages}}`)
  })

  test('may nest 50,000 deep where nobody looks', async () => {
    const deep = '['.repeat(49_999) + ']'.repeat(49_999)
    const request = await read(`{"deep":${deep},"model":"m",${messages}}`)
    expect(upstreamBody(request, anUpstream('up'), true).toString()).toBe(`{"deep":${deep},"model":"up",${messages}}`)
  })
})

describe('a request that cannot be understood', () => {
  test('is refused as no JSON', async () => {
    const broken = [
      '',
      ' ',
      '{',
      '{"model":"secret"',
      "{'model':1}",
      'secret',
      '{"a":1}}',
      '{"a":01}',
      '['.repeat(100_000),
      `{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},"model":"m",${messages}}`,
    ]
    for (const body of broken) expect(await refusal(body)).toEqual([400, 'invalid_json', null])
  })

  test('is refused when it is not UTF-8 or begins with a byte order mark', async () => {
    const invalid = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0xaf]]
    for (const bytes of invalid) {
      const body = Buffer.concat([Buffer.from(`{"model":"m",${messages},"x":"`), Buffer.from(bytes), Buffer.from('"}')])
      expect(await refusal(body)).toEqual([400, 'invalid_json', null])
    }
    expect(await refusal(`\uFEFF{"model":"m",${messages}}`)).toEqual([400, 'invalid_json', null])
  })

  test('is refused when it is not an object', async () => {
    for (const body of ['[]', '[{"model":"m"}]', '"m"', '1', 'null', 'true']) {
      expect(await refusal(body)).toEqual([400, 'invalid_body', null])
    }
  })

  test('is refused without a model', async () => {
    for (const model of ['', '"model":null,', '"model":"",']) {
      expect(await refusal(`{${model}${messages}}`)).toEqual([400, 'missing_model', 'model'])
    }
  })

  const wrong: Readonly<Record<string, string>> = {
    [`{"model":7,${messages}}`]: 'model',
    [`{"model":["m"],${messages}}`]: 'model',
    '{"model":"m"}': 'messages',
    '{"model":"m","messages":null}': 'messages',
    '{"model":"m","messages":[]}': 'messages',
    '{"model":"m","messages":{}}': 'messages',
    '{"model":"m","messages":[{"role":"user"},"secret"]}': 'messages.1',
    '{"model":"m","messages":[[]]}': 'messages.0',
    '{"model":"m","messages":[{"content":"secret"}]}': 'messages.0.role',
    [`{"model":"m",${messages},"stream":"true"}`]: 'stream',
    [`{"model":"m",${messages},"stream":1}`]: 'stream',
    [`{"model":"m",${messages},"stream_options":true}`]: 'stream_options',
    [`{"model":"m",${messages},"stream_options":[]}`]: 'stream_options',
    [`{"model":"m",${messages},"model":"n"}`]: 'model',
    [`{"model":"m",${messages},"mod\\u0065l":"m"}`]: 'model',
    [`{"model":"m",${messages},"stream":true,"stream":true}`]: 'stream',
    [`{"model":"m",${messages},"stream_options":{},"stream_options":{}}`]: 'stream_options',
  }
  for (const [body, param] of Object.entries(wrong)) {
    test(`is refused with the name of the field: ${param} in ${body}`, async () => {
      expect(await refusal(body)).toEqual([400, 'invalid_body', param])
    })
  }
})

describe('the body for the upstream', () => {
  test('is the one that came when there is nothing to change', async () => {
    for (const rest of [
      '',
      ',"stream":false',
      ',"stream_options":null',
      ',"stream":true,"stream_options":{"include_usage":true}',
    ]) {
      const request = await read(`{"model":"m",${messages}${rest}}`)
      expect(upstreamBody(request, anUpstream('m'), true)).toBe(request.bytes)
    }
    const streamed = await read(`{"model":"m",${messages},"stream":true}`)
    expect(upstreamBody(streamed, anUpstream('m'), false)).toBe(streamed.bytes)
  })

  test('asks for usage when it streams, whatever the client wrote instead', async () => {
    const body = (options: string) => `{"model":"m",${messages},"stream":true,"stream_options":${options},"z":1}`
    const written: Readonly<Record<string, string>> = {
      null: '{"include_usage":true}',
      '{}': '{"include_usage":true}',
      '{ }': '{"include_usage":true }',
      '{"include_usage":false}': '{"include_usage":true}',
      '{ "include_usage" : null }': '{ "include_usage" : true }',
      '{"a":12345678901234567890,"b":"\\u0041"}': '{"include_usage":true,"a":12345678901234567890,"b":"\\u0041"}',
      '{"include_usage":0,"include_usage":1}': '{"include_usage":true,"include_usage":true}',
    }
    for (const [before, after] of Object.entries(written)) expect(await streamedBody(body(before))).toBe(body(after))
    expect(await streamedBody(`{"model":"m",${messages},"stream":true}`)).toBe(
      `{"stream_options":{"include_usage":true},"model":"m",${messages},"stream":true}`,
    )
  })

  test('names the model of the upstream in the place of the other, both changes in any order of fields', async () => {
    const options = '"stream_options":{"x":1}'
    const asked = '"stream_options":{"include_usage":true,"x":1}'
    expect(await streamedBody(`{"model":"m",${options},"stream":true,${messages}}`, 'a"b\\é')).toBe(
      `{"model":"a\\"b\\\\é",${asked},"stream":true,${messages}}`,
    )
    expect(await streamedBody(`{${options},${messages},"stream":true,"model" : "m" }`, 'up')).toBe(
      `{${asked},${messages},"stream":true,"model" : "up" }`,
    )
  })

  test('keeps every other field as JSON reads it', async () => {
    const field = fc.dictionary(
      fc.string().filter((name) => !['model', 'messages', 'stream', 'stream_options', '__proto__'].includes(name)),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 5 },
    )
    const options = fc.option(
      fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        fc.jsonValue({ maxDepth: 1 }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(field, options, fc.boolean(), async (fields, streamOptions, stream) => {
        const sent = { ...fields, messages: [{ role: 'user' }], stream, model: 'm', stream_options: streamOptions }
        const wantsUsage = streamOptions?.['include_usage'] === true
        const expected =
          stream && !wantsUsage ? { ...sent, stream_options: { ...streamOptions, include_usage: true } } : sent
        const body = JSON.parse(await streamedBody(JSON.stringify(sent), 'up')) as unknown
        expect(body).toEqual(JSON.parse(JSON.stringify({ ...expected, model: 'up' })))
      }),
    )
  })
})
