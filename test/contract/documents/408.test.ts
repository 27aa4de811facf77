/** 408 of POST /api/v1/documents: the body does not arrive in time. */
import { expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'

const app = documentsOfFile({ set: [...idle, 'server.body_read_seconds=0.1'] })
const path = '/api/v1/documents'

const bodies: Readonly<Record<string, readonly [Record<string, string>, string]>> = {
  'JSON of a declared length': [{ 'Content-Length': '100000' }, '{"files":[{"name":"a","bytes":"'],
  'JSON in chunks': [{ 'Transfer-Encoding': 'chunked' }, '5\r\n{"fil\r\n'],
  'a form': [
    { 'Content-Length': '100000', 'Content-Type': 'multipart/form-data; boundary=xyz' },
    '--xyz\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nsome of it',
  ],
}
for (const [which, [headers, beginning]] of Object.entries(bodies)) {
  test(`${which} that stops in the middle is refused, the connection closed, and nothing kept`, async () => {
    using client = new RawClient(app().port)
    client.write(rawRequest({ path, key: app().keys.main.secret, headers }))
    client.write(beginning)
    await client.untilText('"code":"body_timeout"')
    expect(client.text).toStartWith('HTTP/1.1 408')
    await client.closed
    expect(await app().listed()).toEqual([])
  })
}
