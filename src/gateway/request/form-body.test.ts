import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { contextOf } from '#test/support/app/request-context.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { FormBody } from './form-body.ts'

const opening = (model: string): string =>
  `--b\r\nContent-Disposition: form-data; name="before"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n` +
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'
const closing = '\r\n--b--\r\n'

/** A form that comes in these pieces. */
async function formOf(pieces: Iterable<Uint8Array>, bytesMax = 10_000_000): Promise<FormBody> {
  const left = pieces[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = left.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const request = new Request('http://localhost/x', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
  return FormBody.open(await contextOf(request), { bytesMax, readSeconds: 10 })
}

/** The bytes cut at these offsets. */
function cut(bytes: Buffer, offsets: readonly number[]): Uint8Array[] {
  const ends = [...new Set(offsets)].filter((at) => at > 0 && at < bytes.length).toSorted((a, b) => a - b)
  return [...ends, bytes.length].map((end, at) => Buffer.from(bytes.subarray(ends[at - 1] ?? 0, end)))
}

async function readAll(form: FormBody, model: string, pieces = Infinity): Promise<string> {
  const pass = form.pass(model)
  const read: Uint8Array[] = []
  for (let piece = await pass.read(); piece !== null; piece = await pass.read()) {
    read.push(Buffer.from(piece))
    if (read.length === pieces) break
  }
  return Buffer.concat(read).toString()
}

test('a form passes with another model and else as it is, as often as it is sent, however it is cut', async () => {
  const whole = Buffer.from(opening('asked') + 'a recording '.repeat(300) + closing)
  const cuts = fc.array(fc.nat({ max: whole.length }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(cuts, fc.nat({ max: 20 }), async (offsets, before) => {
      using form = await formOf(cut(whole, offsets))
      expect(form.model).toBe('asked')
      // An upstream that fails after some pieces, and then another.
      const begun = await readAll(form, 'one', before)
      expect(whole.toString().replace('asked', 'one').startsWith(begun)).toBe(true)
      expect(await readAll(form, 'the other')).toBe(whole.toString().replace('asked', 'the other'))
      expect(form.repeatable).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['', '', 1],
  ['n', '3', 3],
  ['n', '0', 1],
  ['n', '-2', 1],
  ['n', '1e3', 1],
  ['n', '9'.repeat(5000), 1],
  ['other', '3', 1],
])('a field %s of %s asks for %d, before and after the model, however it is cut', async (name, value, count) => {
  const field = name === '' ? '' : `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const before = Buffer.from(field + opening('asked') + closing)
  const after = Buffer.from(`${opening('asked')}a recording\r\n${field}--b--\r\n`)
  for (const whole of [before, after]) {
    for (const pieces of [[whole], cut(whole, [...whole.keys()])]) {
      using form = await formOf(pieces)
      await readAll(form, 'up')
      expect(form.count).toBe(count)
    }
  }
})

describe('a client that sends single bytes', () => {
  test('has what it sends held in pieces of a size that does not matter', async () => {
    const whole = Buffer.from(opening('asked') + 'x'.repeat(100_000) + closing)
    using form = await formOf(cut(whole, [...whole.keys()]))
    expect(await readAll(form, 'up')).toBe(whole.toString().replace('asked', 'up'))
    let pieces = 0
    const again = form.pass('up')
    while ((await again.read()) !== null) pieces += 1
    expect(pieces).toBeLessThan(whole.length / 500)
  })

  test('gets a form through that is too large to be kept', async () => {
    const whole = Buffer.from(opening('asked') + 'y'.repeat(1_200_000) + closing)
    const offsets = Array.from({ length: 12_000 }, (_, at) => at * 100 + (at % 7))
    using form = await formOf(cut(whole, offsets))
    expect(await readAll(form, 'up')).toBe(whole.toString().replace('asked', 'up'))
    expect(form.repeatable).toBe(false)
  })
})

test('a model that is longer than any name is refused while it comes', async () => {
  let sent = 0
  const endless = function* (): Generator<Uint8Array> {
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n')
    for (; sent < 1_000_000; sent += 100) yield Buffer.alloc(100, 0x61)
  }
  const refused = await rejection(formOf(endless()))
  expect(refused).toMatchObject({ code: 'invalid_body', detail: { param: 'model' } })
  expect(sent).toBeLessThan(10_000)
})
