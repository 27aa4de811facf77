import { describe, expect, test } from 'bun:test'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { picturesOf, type Picture } from './picture.ts'
import { DemoProblem } from './problem.ts'

const red = [220, 20, 20]
const blue = [30, 70, 225]
const white = [255, 255, 255]
const striped = stripedPng(64, 32, [red, red, blue, white])

function dataUrl(bytes: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

async function describeUrl(url: string): Promise<Picture | undefined> {
  const [picture] = await picturesOf([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }])
  return picture
}

async function problemOf(url: string): Promise<DemoProblem> {
  const thrown = await describeUrl(url).catch((error: unknown) => error)
  if (!(thrown instanceof DemoProblem)) throw new Error(`no problem, but ${JSON.stringify(thrown)}`)
  return thrown
}

describe('a picture is described by what is in it', () => {
  test('format, size and the three most common colours of a PNG', async () => {
    expect(await describeUrl(dataUrl(striped))).toEqual({
      kind: 'seen',
      format: 'PNG',
      bytes: striped.length,
      width: 64,
      height: 32,
      colours: [
        { name: 'red', percent: 50 },
        { name: 'blue', percent: 25 },
        { name: 'white', percent: 25 },
      ],
    })
  })

  test('the bytes decide the format, whatever type is declared', async () => {
    const jpeg = await new Bun.Image(striped).jpeg({ quality: 95 }).bytes()
    const webp = await new Bun.Image(striped).webp().bytes()
    expect(await describeUrl(dataUrl(jpeg, 'image/png'))).toMatchObject({ format: 'JPEG', width: 64, height: 32 })
    expect(await describeUrl(dataUrl(webp, 'text/plain'))).toMatchObject({ format: 'WEBP', width: 64, height: 32 })
  })

  test('a GIF of one white pixel', async () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=', 'base64')
    expect(await describeUrl(dataUrl(gif))).toMatchObject({
      format: 'GIF',
      width: 1,
      height: 1,
      colours: [{ name: 'white', percent: 100 }],
    })
  })

  test('base64 may be broken into lines', async () => {
    const lines = striped.toString('base64').replace(/.{20}/gu, '$&\r\n')
    expect(await describeUrl(`data:image/png;base64,${lines}`)).toMatchObject({ kind: 'seen', format: 'PNG' })
  })

  test('pictures keep their order over messages and parts', async () => {
    const part = (bytes: Uint8Array) => ({ type: 'image_url', image_url: { url: dataUrl(bytes) } })
    const pictures = await picturesOf([
      {
        role: 'user',
        content: [part(stripedPng(3, 1, [red])), { type: 'text', text: 'and' }, part(stripedPng(5, 1, [red]))],
      },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: [part(stripedPng(7, 1, [blue]))] },
    ])
    expect(pictures.map((picture) => (picture.kind === 'seen' ? picture.width : null))).toEqual([3, 5, 7])
  })
})

describe('what is not a picture is refused with the path of the field', () => {
  const damaged = striped.subarray(0, striped.length - 40)

  test.each([
    ['text that calls itself an image', dataUrl(Buffer.from('hello, I am a text file')), 'image_parse_error'],
    ['a picture cut off in the middle', dataUrl(damaged), 'image_parse_error'],
    ['no base64', 'data:image/png;base64,@@@@', 'invalid_image_url'],
    ['nothing at all', 'data:image/png;base64,', 'invalid_image_url'],
    ['a file on the server', 'file:///etc/hostname', 'invalid_image_url'],
  ])('%s', async (_, url, code) => {
    expect(await problemOf(url)).toMatchObject({ status: 400, code, param: 'messages.0.content.0.image_url.url' })
  })

  test('a small file that announces a huge picture', async () => {
    const bomb = Buffer.from(stripedPng(8, 8, [red]))
    bomb.writeUInt32BE(30_000, 16)
    bomb.writeUInt32BE(30_000, 20)
    bomb.writeUInt32BE(Bun.hash.crc32(bomb.subarray(12, 29)), 29)
    expect((await problemOf(dataUrl(bomb))).message).toContain('million pixels')
  })
})

test('a remote picture is named and never fetched', async () => {
  const url = 'http://127.0.0.1:9/picture.png'
  expect(await describeUrl(url)).toEqual({ kind: 'remote', url })
})
