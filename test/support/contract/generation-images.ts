/** What both image endpoints promise of images that are too large or are none. */
import { describe, expect, test } from 'bun:test'
import { formOf, picture, type GenerationPath } from '../app/generation-app.ts'
import { echoing, useGeneration } from './generation-contract.ts'
import { expectRefusal } from './refusal.ts'

/** The header of a PNG of this size, and nothing else of it. */
function pngHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from(picture)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

export function contract413(path: GenerationPath): void {
  const app = useGeneration()
  const refusal = { status: 413, type: 'request_too_large', code: 'image_too_large', param: 'image_data' } as const

  test('an image of 21 MB', async () => {
    const image = Buffer.concat([picture, Buffer.alloc(21_000_000)])
    await expectRefusal(await app().generate(path, { text: 'a' }, { image }), refusal)
  })

  test('an image of 30,000 × 30,000 pixels, of which only the header is looked at', async () => {
    const answer = await app().generate(path, { text: 'a' }, { image: pngHeader(30_000, 30_000) })
    const error = await expectRefusal(answer, refusal)
    expect(error.message).toContain('30000 × 30000')
  })

  test('an image of exactly the limit is taken, and one byte more is not', async () => {
    echoing(app())
    await app().operate('PUT', '/settings/generation.max_image_bytes', { value: 5000 })
    const padded = (bytes: number) => Buffer.concat([picture, Buffer.alloc(bytes - picture.length)])
    expect((await app().generate(path, { text: 'a' }, { image: padded(5000) })).status).toBe(200)
    await expectRefusal(await app().generate(path, { text: 'a' }, { image: padded(5001) }), refusal)
    await app().operate('DELETE', '/settings/generation.max_image_bytes')
  })

  test('a body above the limit of the server, wherever its bytes are', async () => {
    const promised = { status: 413, type: 'request_too_large', code: 'request_too_large' } as const
    const form = formOf({ text: 'x'.repeat(35_000_000) }, picture)
    await expectRefusal(await app().generate(path, {}, { form }), promised)
  })
}

export function contract415(path: GenerationPath): void {
  const app = useGeneration()
  const type = 'invalid_request_error'

  describe('a file that is no image, whatever it is said to be', () => {
    const files = {
      text: 'This is a text.',
      svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      pdf: '%PDF-1.7',
      html: '<html></html>',
    }
    for (const [what, content] of Object.entries(files)) {
      test(what, async () => {
        const answer = await app().generate(path, { text: 'a' }, { image: Buffer.from(content) })
        await expectRefusal(answer, { status: 415, type, code: 'unsupported_image', param: 'image_data' })
      })
    }
  })

  test('a body that is no form', async () => {
    const promised = { status: 415, type, code: 'unsupported_media_type' } as const
    for (const contentType of ['application/json', 'multipart/mixed; boundary=a', 'multipart/form-data']) {
      const answer = await app().request('POST', `/${path}`, { headers: { 'content-type': contentType }, body: '{}' })
      await expectRefusal(answer, promised)
    }
  })
}
