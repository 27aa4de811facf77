/** A folder becomes searchable: imported, waited for, searched, talked about, deleted, and gone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startDocuments, type DocumentsApp } from '#test/support/app/documents-app.ts'

let app: DocumentsApp
beforeAll(async () => void (app = await startDocuments()))
afterAll(() => app[Symbol.asyncDispose]())

const handbook = `# Staff handbook

## Holidays

Everybody has thirty days of paid leave a year. Unused days expire at the end of March.

## Expenses

Hotel bills are paid up to 140 euros a night. Keep every receipt.
`

test('what was imported is found, cited, and after its deletion gone', async () => {
  const files = [
    { name: 'handbook.md', bytes: Buffer.from(handbook).toString('base64') },
    { name: 'menu.csv', bytes: 'day,dish\nMonday,Lentil soup\nTuesday,Potato gratin\n' },
    { name: 'page.html', bytes: '<h1>Opening hours</h1><p>The office opens at eight in the morning.</p>' },
  ]
  const response = await app.import(files, { wait_for_completion: true, chunk_units: 30 })
  expect(response.status).toBe(202)
  const { accepted } = (await response.json()) as { accepted: { doc_id: string; state: string }[] }
  expect(accepted.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])

  const [hit] = await app.hits({ query: 'How many days of paid leave do I have?' })
  expect(hit).toMatchObject({ doc_id: accepted[0]!.doc_id, name: 'handbook.md', category: 'notes' })
  expect(hit!.text).toContain('thirty days')
  const record = (await (await app.document(accepted[0]!.doc_id)).json()) as { media_type: string }
  expect(record).toMatchObject({ state: 'completed', media_type: 'text/markdown', embedder: { name: 'hashing' } })
  for (const { doc_id: id } of accepted)
    expect((await app.request('DELETE', `/api/v1/document/${id}`)).status).toBe(204)
  expect(await app.hits({ query: 'paid leave' })).toEqual([])
})
