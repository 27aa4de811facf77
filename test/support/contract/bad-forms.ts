/** 400, 413 and 415 of the endpoints that take a form: bodies that cannot be understood, or could be in two ways. */
import { expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { gatewayOfFile } from './endpoint-contract.ts'
import type { FormEndpoint } from './endpoint-samples.ts'
import { expectRefusal } from './refusal.ts'

const field = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const model = field('model', 'plain')
const file = field('file', 'bytes', '; filename="a.bin"')
const end = '--b--\r\n'

const refused: readonly (readonly [what: string, body: string, code: ErrorCode, param: string | null])[] = [
  ['names no model', file + end, 'missing_model', 'model'],
  ['has an empty model', field('model', '') + file + end, 'missing_model', 'model'],
  ['has a model that is a file', field('model', 'plain', '; filename="m"') + end, 'invalid_body', 'model'],
  ['has a model longer than any name', field('model', 'x'.repeat(2000)) + end, 'invalid_body', 'model'],
  ['names two models', model + field('model', 'private') + end, 'invalid_body', 'model'],
  ['names a second model after its file', model + file + field('model', 'private') + end, 'invalid_body', 'model'],
  [
    'names a second model far behind',
    model + field('file', 'x'.repeat(3_000_000), '; filename="a"') + field('model', 'private') + end,
    'invalid_body',
    'model',
  ],
  ['has a part with two names', model + field('a', '', '; name="model"') + end, 'invalid_multipart', null],
  ['is cut off', model + file, 'invalid_multipart', null],
  ['is none', 'model=plain', 'invalid_multipart', null],
  ['is empty', '', 'invalid_multipart', null],
]

/** 400: no provider answers such a form, and none gets the whole of one. */
export function badFormContract(endpoint: FormEndpoint): void {
  const gateway = gatewayOfFile()
  for (const [what, body, code, param] of refused) {
    test(`a form that ${what} is refused`, async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const response = await gateway().request('POST', `/ai/v1/${endpoint}`, { headers, body })
      await expectRefusal(response, { status: 400, type: 'invalid_request_error', code, param })
      expect(gateway().upstream.requests).toEqual([])
    })
  }
}

/** 415: another type of body, or a packed one. */
export function formTypeContract(endpoint: FormEndpoint): void {
  const gateway = gatewayOfFile()
  const types: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['JSON', { 'content-type': 'application/json' }],
    ['no type', { 'content-type': '' }],
    ['a form without a boundary', { 'content-type': 'multipart/form-data' }],
    ['a packed form', { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' }],
  ]
  for (const [what, headers] of types) {
    test(`${what} is not taken`, async () => {
      const response = await gateway().request('POST', `/ai/v1/${endpoint}`, { headers, body: model + end })
      const promised = { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' } as const
      await expectRefusal(response, promised)
      expect(gateway().upstream.requests).toEqual([])
    })
  }
}

/** 413: a form above the limit, whether its length was announced or not, and wherever its model stands. */
export function largeFormContract(endpoint: FormEndpoint): void {
  const gateway = gatewayOfFile({ set: ['server.max_body_bytes=100000'] })
  const large = field('file', 'x'.repeat(100_000), '; filename="a"')
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const promised = { status: 413, type: 'request_too_large', code: 'request_too_large' } as const
  for (const [where, body] of [
    ['before', large + model + end],
    ['after', model + large + end],
  ] as const) {
    test(`with its file ${where} the model is refused, announced or in chunks`, async () => {
      const announced = await gateway().request('POST', `/ai/v1/${endpoint}`, { headers, body })
      await expectRefusal(announced, promised)
      const pieces = new Blob([body]).stream()
      await expectRefusal(await gateway().request('POST', `/ai/v1/${endpoint}`, { headers, body: pieces }), promised)
      expect(gateway().upstream.requests).toEqual([])
    })
  }

  test('with its file before the model is taken up to the limit', async () => {
    const body = field('file', 'x'.repeat(90_000), '; filename="a"') + model + end
    const response = await gateway().request('POST', `/ai/v1/${endpoint}`, { headers, body })
    expect(response.status).toBe(200)
    expect(gateway().upstream.requests.at(-1)!.body.length).toBe(body.length - 'plain'.length + 'upstream-model'.length)
  })
}
