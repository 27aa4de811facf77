/** GET /api/v1/document/{doc_id}/file: the bytes that were imported, whatever they are, harmless to the browser. */
import { expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'

const app = documentsOfFile()

const get = (id: string, headers: Record<string, string> = {}): Promise<Response> =>
  app().request('GET', `/api/v1/document/${id}/file`, { headers })

test('the file comes back byte for byte, under its name, as something that is not opened', async () => {
  const html = '<html><script>alert(1)</script><p>Füße</p></html>'
  const name = 'folder/Über "alles"\r\n.html'
  const { doc_id: id } = await app().imported({ name, bytes: html, encoding: 'utf-8' })
  const answer = await get(id)
  expect(await answer.text()).toBe(html)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent('Über "alles"  .html')}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-length': String(Buffer.byteLength(html)),
  })
  const part = await get(id, { range: 'bytes=6-13' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    `bytes 6-13/${Buffer.byteLength(html)}`,
    '<script>',
  ])
  expect((await get(id, { range: 'bytes=1000-' })).status).toBe(416)
})

test('a new version takes the place of the file when it is complete', async () => {
  const id = crypto.randomUUID()
  await app().imported({ doc_id: id, bytes: 'The first version.' })
  expect(await (await get(id)).text()).toBe('The first version.')
  await app().imported({ doc_id: id, bytes: 'The second version.' })
  expect(await (await get(id)).text()).toBe('The second version.')
})
