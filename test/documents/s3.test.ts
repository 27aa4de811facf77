/** Imported files in an S3-compatible store: kept there, fetched from there, removed there, and what an outage does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { loadConfig } from '#config/load.ts'
import { eventually, startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { startS3, type S3Server } from '#test/support/documents/s3-server.ts'

let s3: S3Server
let app: DocumentsApp
beforeAll(async () => {
  s3 = startS3()
  app = await startDocuments({ environment: s3.environment })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await s3[Symbol.asyncDispose]()
})
beforeEach(() => {
  s3.up()
  s3.answerWith(null)
})

const unavailable = { status: 503, type: 'store_unavailable', code: 'store_unavailable' } as const

test('a document is kept in the store, processed from there, and gone from there when it is deleted', async () => {
  const { doc_id: id, sha256, state } = await app.imported({ bytes: 'Lentils need no soaking.' })
  expect(state).toBe('completed')
  expect([...s3.objects.keys()]).toEqual([`documents/${id}/${sha256}`])
  expect(await Array.fromAsync(app.blobs.list())).toEqual([])
  const [hit] = await app.hits({ query: 'soaking lentils' })
  expect(hit?.doc_id).toBe(id)
  expect(await app.statusOf('DELETE', `/api/v1/document/${id}`, app.keys.main)).toBe(204)
  expect(s3.objects.size).toBe(0)
  expect(await app.onTheirWay()).toEqual([])
})

test('a new version takes the place of the old one in the store, too', async () => {
  const docId = crypto.randomUUID()
  await app.imported({ bytes: 'The first version.', doc_id: docId })
  const { sha256, version } = await app.imported({ bytes: 'The second version.', doc_id: docId })
  expect(version).toBe(2)
  await eventually(() => s3.objects.size === 1)
  expect([...s3.objects.keys()]).toEqual([`documents/${docId}/${sha256}`])
  expect(await app.statusOf('DELETE', `/api/v1/document/${docId}`, app.keys.main)).toBe(204)
})

describe('while the store is down', () => {
  test('nothing is accepted, and the answer tells nothing of the store', async () => {
    await s3.down()
    const items = [{ bytes: 'Cannot be kept.' }, { bytes: 'Nor can this.' }]
    const { message } = await expectRefusal(await app.import(items), unavailable)
    expect(message).toContain('store of the imported files')
    expect(message).not.toMatch(/127\.0\.0\.1|sluice-test|AKIA|only-for-tests/)
    const form = new FormData()
    form.append('category', 'notes')
    form.append('files', new Blob(['Nor as a form.']), 'form.txt')
    await expectRefusal(await app.form(form), unavailable)
    expect(await app.listed()).toEqual([])
    expect(await app.onTheirWay()).toEqual([])
    expect(app.log()).toContain('ConnectionRefused')
    s3.up()
    const [id] = await app.accepted([items[0]!])
    expect((await app.ended(id!)).state).toBe('completed')
    await app.request('DELETE', `/api/v1/document/${id}`)
  })

  test('a document is not deleted halfway: it is all there afterwards', async () => {
    const { doc_id: id } = await app.imported({ bytes: 'Here to stay.' })
    await s3.down()
    await expectRefusal(await app.request('DELETE', `/api/v1/document/${id}`), unavailable)
    expect((await app.record(id)).state).toBe('completed')
    s3.up()
    expect(await app.statusOf('DELETE', `/api/v1/document/${id}`, app.keys.main)).toBe(204)
    expect(s3.objects.size).toBe(0)
  })

  test('a document that is to be processed waits, and is completed when the store is back', async () => {
    s3.answerWith(503, 'GET')
    const from = s3.requests.length
    const fetched = (): number => s3.requests.slice(from).filter(({ method }) => method === 'GET').length
    const [id] = await app.accepted([{ bytes: 'Arrives before the outage.' }])
    await eventually(async () => fetched() > 0 && (await app.record(id!)).error !== null)
    expect(await app.record(id!)).toMatchObject({
      state: 'queued',
      error: { code: 'store_unavailable', stage: 'reading', retryable: true },
    })
    s3.answerWith(null)
    app.advance(60_000)
    expect(await app.ended(id!)).toMatchObject({ state: 'completed', error: null })
    expect(await app.statusOf('DELETE', `/api/v1/document/${id}`, app.keys.main)).toBe(204)
  })
})

test('each setting of the store needs the others, and the server says so before it starts', () => {
  const all = Object.entries(s3.environment)
  expect(loadConfig({ environment: s3.environment, directory: '/', overrides: [] }).kind).toBe('ok')
  for (const [left] of all) {
    const environment = Object.fromEntries(all.filter(([name]) => name !== left))
    const config = loadConfig({ environment, directory: '/', overrides: [] })
    const name = left.toLowerCase().replace('sluice_documents_', 'documents.')
    expect(config).toMatchObject({ kind: 'problems', problems: [{ name }] })
  }
})
