/** Uploads in parts by OpenAI's own SDK, as its documentation uses it. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import OpenAI, { toFile } from 'openai'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()
const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => `${at}\n`).join(''))

function client(): OpenAI {
  const { gateway } = files()
  return new OpenAI({ baseURL: `${gateway.url}/ai/v1`, apiKey: gateway.keys.main.secret, maxRetries: 0 })
}

async function begin(openai: OpenAI, bytes = content.length) {
  return openai.uploads.create({ bytes, filename: 'numbers.jsonl', mime_type: 'text/jsonl', purpose: 'batch' })
}

async function partOf(openai: OpenAI, id: string, bytes: Uint8Array): Promise<string> {
  return (await openai.uploads.parts.create(id, { data: await toFile(bytes, 'part') })).id
}

describe('an upload', () => {
  test.each([1, 2, 7, 40])('of %i parts, sent at once in any order, is the file', async (count) => {
    const openai = client()
    const upload = await begin(openai)
    expect(upload).toMatchObject({ object: 'upload', status: 'pending', purpose: 'batch', filename: 'numbers.jsonl' })
    const size = Math.ceil(content.length / count)
    const pieces = Array.from({ length: count }, (_, at) => content.subarray(at * size, (at + 1) * size))
    const ids = await Promise.all(pieces.toReversed().map((piece) => partOf(openai, upload.id, piece)))
    const md5 = createHash('md5').update(content).digest('hex')
    const { status, file } = await openai.uploads.complete(upload.id, { part_ids: ids.toReversed(), md5 })
    expect(status).toBe('completed')
    expect(file).toMatchObject({ bytes: content.length, filename: 'numbers.jsonl', purpose: 'batch' })
    const stored = await openai.files.content(file?.id ?? '')
    expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true)
    // Its parts were never files.
    const { data } = await openai.files.list()
    expect(data.filter(({ filename }) => filename.startsWith('upload_'))).toEqual([])
  })

  test('that was cancelled takes nothing more', async () => {
    const openai = client()
    const upload = await begin(openai, 4)
    const id = await partOf(openai, upload.id, content.subarray(0, 4))
    expect(await openai.uploads.cancel(upload.id)).toMatchObject({ status: 'cancelled', file: null })
    const refused = [
      openai.uploads.cancel(upload.id),
      openai.uploads.complete(upload.id, { part_ids: [id] }),
      partOf(openai, upload.id, content.subarray(0, 1)),
    ]
    for (const each of refused) expect(await each.catch((error: unknown) => error)).toMatchObject({ status: 409 })
  })

  test.each([2, 10])('that is completed %i times at once becomes one file', async (times) => {
    const openai = client()
    const upload = await begin(openai, 4)
    const id = await partOf(openai, upload.id, content.subarray(0, 4))
    const before = (await openai.files.list({ limit: 10_000 })).data.length
    const completed = await Promise.allSettled(
      Array.from({ length: times }, () => openai.uploads.complete(upload.id, { part_ids: [id] })),
    )
    expect(completed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const reasons = completed.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as { status: number }).status] : [],
    )
    // One that comes late finds the parts gone.
    expect(reasons.filter((status) => ![409, 400].includes(status))).toEqual([])
    expect((await openai.files.list({ limit: 10_000 })).data).toHaveLength(before + 1)
  })
})
