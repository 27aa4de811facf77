/** What all four generation endpoints refuse of a payload, before anything is forwarded. */
import { describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { formOf, picture, type GenerationPath } from '../app/generation-app.ts'
import { useGeneration } from './generation-contract.ts'
import { expectRefusal } from './refusal.ts'

type Row = readonly [what: string, payload: object, code: ErrorCode, param: string]

const rows: readonly Row[] = [
  ['no text', {}, 'validation_failed', 'text'],
  ['text that is a number', { text: 5 }, 'validation_failed', 'text'],
  ['empty text', { text: '' }, 'validation_failed', 'text'],
  ['an empty array', { text: [] }, 'validation_failed', 'text'],
  ['an empty text in an array', { text: ['a', ''] }, 'validation_failed', 'text.1'],
  ['1,001 prompts', { text: Array(1001).fill('a') }, 'validation_failed', 'text'],
  ['a wrong type', { text: 'a', max_new_tokens: 'many' }, 'validation_failed', 'max_new_tokens'],
  ['both constraints', { text: 'a', json_schema: {}, regex_string: 'a' }, 'validation_failed', 'regex_string'],
  ['a field that does not exist', { text: 'a', temperature: 1 }, 'unsupported_parameter', 'temperature'],
  [
    'a schema elsewhere',
    { text: 'a', json_schema: { $ref: 'https://example.com/a' } },
    'invalid_json_schema',
    'json_schema',
  ],
  [
    'a schema that does not compile',
    { text: 'a', json_schema: { type: 'strin' } },
    'invalid_json_schema',
    'json_schema',
  ],
  ['a catastrophic expression', { text: 'a', regex_string: '(a+)+$' }, 'invalid_regex', 'regex_string'],
  ['a back-reference', { text: 'a', regex_string: '(a)\\1' }, 'invalid_regex', 'regex_string'],
  ['what the upstream cannot honour', { text: 'a', min_new_tokens: 5 }, 'unsupported_parameter', 'min_new_tokens'],
  [
    'an expression where the upstream has none',
    { text: 'a', regex_string: 'a|b' },
    'unsupported_parameter',
    'regex_string',
  ],
  [
    'a limit on candidates where there is none',
    { text: 'a', sampling_topk: 40 },
    'unsupported_parameter',
    'sampling_topk',
  ],
  ['an adapter that nobody listed', { text: 'a', lora_id: 'x' }, 'unsupported_parameter', 'lora_id'],
  [
    'a backend',
    { text: 'a', constrained_decoding_backend: 'lmfe' },
    'unsupported_parameter',
    'constrained_decoding_backend',
  ],
]

export function contract422(path: GenerationPath): void {
  const app = useGeneration()
  const type = 'invalid_request_error'

  for (const [what, payload, code, param] of rows) {
    test(`${what} is refused by name, and no upstream hears of it`, async () => {
      const before = app().upstream.requests.length
      const error = await expectRefusal(await app().generate(path, payload), { status: 422, type, code, param })
      if (code === 'unsupported_parameter' && param !== 'temperature') expect(error.message).toContain('vision')
      expect(app().upstream.requests.length).toBe(before)
    })
  }

  test('images on the disk of the server are off by default', async () => {
    for (const file of ['/etc/passwd', '../../secret.png', 'https://example.com/a.png']) {
      const payload = { text: 'a', image_paths: [file] }
      const promised = { status: 422, type, code: 'unsupported_parameter', param: 'image_paths' } as const
      await expectRefusal(await app().generate(path, payload, { image: null }), promised)
    }
  })

  if (path.startsWith('image_')) formsWithout(path, app)
}

function formsWithout(path: GenerationPath, app: ReturnType<typeof useGeneration>): void {
  const type = 'invalid_request_error'

  describe('a form', () => {
    test('without an image', async () => {
      const promised = { status: 422, type, code: 'missing_image', param: 'image_data' } as const
      await expectRefusal(await app().generate(path, { text: 'a' }, { image: null }), promised)
      await expectRefusal(await app().generate(path, { text: 'a' }, { image: new Uint8Array() }), promised)
    })

    test('without a payload', async () => {
      const form = new FormData()
      form.append('image_data', new Blob([picture]), 'a.png')
      const promised = { status: 422, type, code: 'validation_failed', param: 'json_data' } as const
      await expectRefusal(await app().generate(path, {}, { form }), promised)
    })

    test('with a payload that is no object', async () => {
      for (const json of ['[]', '"text"', 'null']) {
        const promised = { status: 422, type, code: 'validation_failed' } as const
        await expectRefusal(await app().generate(path, {}, { form: formOf(json, picture) }), promised)
      }
    })

    test('with another part', async () => {
      const form = formOf({ text: 'a' }, picture)
      form.append('mask', 'x')
      const promised = { status: 422, type, code: 'unsupported_parameter', param: 'mask' } as const
      await expectRefusal(await app().generate(path, {}, { form }), promised)
    })

    test('with an image that is cut off, or of no size', async () => {
      const promised = { status: 422, type, code: 'invalid_image', param: 'image_data' } as const
      const flat = Buffer.from(picture)
      flat.writeUInt32BE(0, 16)
      for (const image of [picture.subarray(0, picture.length - 10), picture.subarray(0, 20), flat])
        await expectRefusal(await app().generate(path, { text: 'a' }, { image }), promised)
    })
  })
}
