/** Pictures and scanned pages: a multimodal model of the gateway writes down what they show. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, startDocuments } from '#test/support/app/documents-app.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { json, rateLimited } from '#test/support/upstream/upstream-behaviours.ts'
import { chatCompletion, errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'

const app = documentsOfFile({ set: ['documents.max_attempts=1'] })
const vision = { reader: { name: 'vision', model: 'plain-alias' } }

let drawn = 0
/** A picture that no test has imported before. */
function picture(): string {
  drawn += 1
  return stripedPng(8, 8, [[drawn, 0, 0]]).toString('base64')
}

const scan = (pages: number): string =>
  Buffer.from(writePdf({ pages: Array.from({ length: pages }, () => ({ hasPicture: true })) })).toString('base64')

interface Part {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

/** What the model was sent: the picture's bytes, and the words beside it. */
function asked(request: ReceivedRequest): { readonly image: string; readonly prompt: string } {
  const [message] = request.json()['messages'] as readonly { readonly content: readonly Part[] }[]
  const parts = message?.content ?? []
  return {
    image: parts.find(({ type }) => type === 'image_url')?.image_url?.url ?? '',
    prompt: parts.find(({ type }) => type === 'text')?.text ?? '',
  }
}

const says = (text: string) => json(chatCompletion({ pieces: [text] }))

describe('a picture', () => {
  test('is sent to the model as it is, and what the model writes is the text of the document', async () => {
    app().upstream.script(says('# A sign\n\nNo bicycles in the hallway.'))
    const bytes = picture()
    const record = await app().imported({ name: 'sign.png', bytes }, vision)
    expect(record).toMatchObject({
      state: 'completed',
      media_type: 'image/png',
      title: 'A sign',
      reader: { name: 'vision', model: 'plain' },
    })
    expect(record.warnings).toContainEqual(expect.stringContaining('multimodal model'))
    const { image, prompt } = asked(app().upstream.requests.at(-1)!)
    expect(image).toBe(`data:image/png;base64,${bytes}`)
    expect(prompt).not.toBe('')
    const [hit] = await app().hits({ query: 'bicycles hallway', doc_id: record.doc_id })
    expect(hit).toMatchObject({ heading_path: ['A sign'] })
  })

  test('is read with the words of the request when it has some', async () => {
    app().upstream.script(says('Blue.'))
    const reader = { name: 'vision', model: 'plain', prompt: 'Name the colour only.' }
    const record = await app().imported({ name: 'a.png', bytes: picture() }, { reader })
    expect(record.reader).toEqual(reader)
    expect(asked(app().upstream.requests.at(-1)!).prompt).toBe('Name the colour only.')
  })

  test('of which the model says nothing fails with no_text', async () => {
    app().upstream.script(says('  \n'))
    const record = await app().imported({ name: 'a.png', bytes: picture() }, vision)
    expect(record).toMatchObject({ state: 'failed', error: { code: 'no_text', stage: 'reading' } })
  })

  test('fails with the code of the call when the model does', async () => {
    const ends: readonly (readonly [Parameters<ReturnType<typeof app>['upstream']['script']>[0], string, boolean])[] = [
      [json(errorObject('bad key'), 401), 'upstream_auth_failed', false],
      [json(errorObject('broken'), 500), 'upstream_error', true],
      [rateLimited('1'), 'upstream_rate_limited', true],
    ]
    for (const [script, code, retryable] of ends) {
      app().upstream.script(script)
      const { state, error } = await app().imported({ name: 'a.png', bytes: picture() }, vision)
      expect([state, error?.code, error?.stage, error?.retryable]).toEqual(['failed', code, 'reading', retryable])
      expect(error?.message).not.toContain('bad key')
    }
  })
})

describe('a PDF', () => {
  test('that is a scan is described page by page, and each chunk knows its page', async () => {
    app().upstream.script((request) => says(`Words of a page of ${asked(request).image.length} letters.`))
    const seen = app().upstream.requests.length
    const options = { ...vision, chunker: 'page' }
    const record = await app().imported({ name: 'scan.pdf', bytes: scan(3) }, options)
    expect(record).toMatchObject({ state: 'completed', progress: { pages: { done: 3, total: 3 } } })
    expect(app().upstream.requests.length - seen).toBe(3)
    for (const request of app().upstream.requests.slice(seen))
      expect(asked(request).image).toStartWith('data:image/png;base64,iVBOR')
    expect((await app().chunks(record.doc_id)).map(({ page }) => page)).toEqual([1, 2, 3])
  })

  test('with text is read without the model when the reader is auto, and with it when it is asked for', async () => {
    app().upstream.script(says('What the model saw.'))
    const bytes = Buffer.from(writePdf({ pages: [{ texts: column(['What stands in the file.']) }] })).toString('base64')
    const seen = app().upstream.requests.length
    const auto = await app().imported({ name: 'a.pdf', bytes }, { reader: { name: 'auto', model: 'plain' } })
    expect((await app().chunks(auto.doc_id)).map(({ text }) => text)).toEqual(['What stands in the file.'])
    expect(app().upstream.requests.length).toBe(seen)
    const seenBy = await app().imported({ name: 'a.pdf', bytes, category: 'vision' }, vision)
    expect((await app().chunks(seenBy.doc_id)).map(({ text }) => text)).toEqual(['What the model saw.'])
  })

  test('of which one page cannot be described fails as a whole', async () => {
    let calls = 0
    app().upstream.script(() => ((calls += 1) === 2 ? json(errorObject('broken'), 401) : says('A page.')))
    const record = await app().imported({ name: 'b.pdf', bytes: scan(4) }, vision)
    expect(record).toMatchObject({ state: 'failed', searchable: false })
    expect(await app().chunks(record.doc_id)).toEqual([])
  })
})

test('a file of another kind is not for the reader of pictures, and auto takes it without the model', async () => {
  const seen = app().upstream.requests.length
  const refused = await app().imported({ name: 'a.txt', bytes: 'Plain text.' }, vision)
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'unsupported_type', retryable: false } })
  const auto = { reader: { name: 'auto', model: 'plain' } }
  expect((await app().imported({ name: 'b.txt', bytes: 'Plain text too.' }, auto)).state).toBe('completed')
  expect(app().upstream.requests.length).toBe(seen)
})

describe('the server’s own model', () => {
  test('reads pictures that name none, and no pictures of those who may not use it', async () => {
    await using own = await startDocuments({ set: ['documents.vision_model=private', 'documents.ocr.enabled=false'] })
    own.upstream.script(says('Seen by the model of the server.'))
    const record = await own.imported({ name: 'a.png', bytes: picture() }, {}, { key: own.keys.other })
    expect(record).toMatchObject({ state: 'completed', reader: { name: 'auto', model: 'private' } })
    await own.invalid({ name: 'a.png', bytes: picture() }, 'unsupported_type')
    expect((await own.import([{ bytes: 'a' }], { reader: 'vision' })).status).toBe(422)
    expect((await own.imported({ bytes: 'A text of the main user.' })).state).toBe('completed')
  })
})

test('without any model a scan fails with no_text and says what to do', async () => {
  const record = await app().imported({ name: 'c.pdf', bytes: scan(2) })
  expect(record).toMatchObject({ state: 'failed', error: { code: 'no_text', stage: 'reading' } })
  expect(record.error?.message).toContain('vision')
})
