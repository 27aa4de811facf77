/** 400 of POST /api/v1/documents: the body is no JSON, or no form. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const path = '/api/v1/documents'
const refusal = { status: 400, type: 'invalid_request_error' } as const
const whole = '{"files":[{"name":"a","category":"c","bytes":"QUJD"}]}'

describe('a body that is no JSON', () => {
  const bodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
    'of nothing': '',
    'of words': 'hello',
    'cut off in the content': whole.slice(0, -6),
    'cut off after the content': whole.slice(0, -2),
    'with something after it': `${whole}x`,
    'with a bad escape in the content': whole.replace('QUJD', String.raw`QU\qJD`),
    'with a line break in the content': whole.replace('QUJD', 'QU\nJD'),
    'with a NUL in the content': whole.replace('QUJD', 'QU\0JD'),
    'with a comma too many': whole.replace(']}', ',]}'),
    'not in UTF-8': Buffer.from(whole.replace('QUJD', 'größe'), 'latin1'),
  }
  for (const [which, body] of Object.entries(bodies)) {
    test(which, async () => {
      const { message } = await expectRefusal(await app().request('POST', path, { body }), {
        ...refusal,
        code: 'invalid_json',
      })
      expect(message).not.toContain('QU')
    })
  }
})

describe('a form that cannot be read', () => {
  const type = { 'content-type': 'multipart/form-data; boundary=xyz' }
  const part = '--xyz\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\ncontent\r\n'
  const bodies: Readonly<Record<string, string>> = {
    'of nothing': '',
    'without a part': 'words',
    'that ends in the middle of a file': part,
    'whose parts have no name': '--xyz\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--xyz--\r\n',
    'of more parts than there may be': `${'--xyz\r\nContent-Disposition: form-data; name="category"\r\n\r\na\r\n'.repeat(10_001)}--xyz--\r\n`,
  }
  for (const [which, body] of Object.entries(bodies)) {
    test(`${which}, and nothing of it is kept`, async () => {
      const refused = await app().request('POST', path, { headers: type, body })
      await expectRefusal(refused, { ...refusal, code: 'invalid_multipart' })
      expect(await app().onTheirWay()).toEqual([])
    })
  }
})

test('what is refused imports nothing', async () => {
  expect(await app().listed()).toEqual([])
})
