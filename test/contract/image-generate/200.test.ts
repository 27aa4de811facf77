/** 200 of POST /image_generate: answers about one image, sent in any way that clients send it. */
import { describe, expect, test } from 'bun:test'
import { made, picture, promptIn } from '#test/support/app/generation-app.ts'
import { echoing, useGeneration } from '#test/support/contract/generation-contract.ts'

const app = useGeneration()

interface Part {
  readonly head: string
  readonly content: string | Uint8Array
}

const image = (head: string): Part => ({ head, content: picture })
const json: Part = {
  head: 'Content-Disposition: form-data; name="json_data"\r\nContent-Type: application/json',
  content: '{"text":"what is this?"}',
}

function send(parts: readonly Part[]): Promise<Response> {
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`--edge\r\n${head}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
  const headers = { 'content-type': 'multipart/form-data; boundary="edge"' }
  const body = Buffer.concat([...pieces, Buffer.from('--edge--\r\n')])
  return app().request('POST', '/image_generate', { headers, body })
}

describe('a form is taken', () => {
  const heads = {
    'with a name and the type that clients of this interface write':
      'Content-Disposition: form-data; name="image_data"; filename="photo.jpg"\r\nContent-Type: image/*',
    'without a type': 'Content-Disposition: form-data; name="image_data"; filename="photo"',
    'with the type of another format': 'Content-Disposition: form-data; name=image_data\r\ncontent-type: image/jpeg',
    'with a type that is none':
      'Content-Disposition: form-data; name="image_data"\r\nContent-Type: application/octet-stream',
  }
  for (const [what, head] of Object.entries(heads)) {
    test(`${what}, the parts in either order`, async () => {
      for (const parts of [
        [image(head), json],
        [json, image(head)],
      ]) {
        echoing(app())
        const answer = await send(parts)
        expect([answer.status, await answer.json()]).toEqual([200, { text: 'what is this?!' }])
        const { messages } = app().upstream.requests.at(-1)!.json() as { messages: [{ content: [object, object] }] }
        expect(messages[0].content[0]).toEqual({
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${picture.toString('base64')}` },
        })
      }
    })
  }

  test('with a file name for the payload, and the payload as a plain field', async () => {
    echoing(app())
    const plain = { ...json, head: 'Content-Disposition: form-data; name="json_data"' }
    const named = { ...json, head: 'Content-Disposition: form-data; name="json_data"; filename="data.json"' }
    for (const part of [plain, named])
      expect((await send([image('Content-Disposition: form-data; name="image_data"'), part])).status).toBe(200)
  })
})

test('every format is known by its bytes and named to the upstream', async () => {
  const formats = {
    jpeg: await new Bun.Image(picture).jpeg().bytes(),
    webp: await new Bun.Image(picture).webp().bytes(),
    png: picture,
  }
  for (const [format, bytes] of Object.entries(formats)) {
    echoing(app())
    expect((await app().generate('image_generate', { text: 'a' }, { image: bytes })).status).toBe(200)
    const sent = Buffer.from(app().upstream.requests.at(-1)!.body).toString()
    expect(sent).toContain(`"url":"data:image/${format};base64,`)
  }
})

test('all prompts about an image get the same image, before their text', async () => {
  echoing(app())
  const from = app().upstream.requests.length
  await app().generate('image_generate', { text: ['a', 'b', 'c'] })
  const bodies = app()
    .upstream.requests.slice(from)
    .map((request) => Buffer.from(request.body).toString())
  const starts = bodies.map((body) => body.slice(0, body.indexOf('{"type":"text"')))
  expect(new Set(starts).size).toBe(1)
  expect(starts[0]).toContain(picture.toString('base64'))
})

test('all prompts about an image go to one component of a composite, and other images to others', async () => {
  const components = ['plain', 'vendor/slashed', 'narrow']
  await made(app(), 'POST', '/models', {
    name: 'replicas',
    composite: { strategy: 'weighted', components: components.map((model) => ({ model })) },
  })
  const chosen = new Set<string>()
  for (let shade = 0; shade < 12; shade += 1) {
    echoing(app())
    const from = app().upstream.requests.length
    const { stripedPng } = await import('#test/support/documents/png-file.ts')
    const own = stripedPng(4, 4, [[shade, shade, shade]])
    for (let round = 0; round < 2; round += 1) {
      const payload = { text: ['a', 'b', 'c', 'd'], consumer_group: 'replicas' }
      const headers = { 'x-request-id': `shade-${shade}-${round}` }
      expect((await app().generate('image_generate', payload, { image: own, headers })).status).toBe(200)
    }
    expect(app().upstream.requests.length - from).toBe(8)
    const served = await Promise.all(
      [0, 1].map(async (round) => (await app().usageOf(`shade-${shade}-${round}`)).upstreamModel),
    )
    expect(new Set(served).size).toBe(1)
    chosen.add(String(served[0]))
  }
  expect(chosen.size).toBeGreaterThan(1)
  expect(promptIn(app().upstream.requests.at(-1)!.json())).toBe('d')
})
