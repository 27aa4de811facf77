/** Answers that are worth it are compressed for clients that take that, and hold the same. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { aUsage } from '#test/support/store/store-records.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** The answer as it was sent. */
async function raw(path: string, acceptEncoding: string, method = 'GET', body?: object) {
  const response = await fetch(`${app.url}/admin/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${app.adminKey}`,
      'accept-encoding': acceptEncoding,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
    decompress: false,
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { encoding: response.headers.get('content-encoding'), vary: response.headers.get('vary'), bytes }
}

test.each([1, 10, 100])('a list of %i and more rows holds the same in both encodings', async (rows) => {
  await app.store.usage.insertMany(Array.from({ length: rows }, () => aUsage({ at: Date.now() - 1000 })))
  const [plain, packed] = [await raw('/requests?limit=200', 'identity'), await raw('/requests?limit=200', 'br, gzip')]
  expect([plain.encoding, plain.vary, packed.vary]).toEqual([null, 'accept-encoding', 'accept-encoding'])
  const isLong = plain.bytes.length >= 2048
  expect(packed.encoding).toBe(isLong ? 'gzip' : null)
  expect(isLong ? Bun.gunzipSync(packed.bytes) : packed.bytes).toEqual(plain.bytes)
  if (rows === 100) expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
})

test('a client that refuses the encoding, and a secret that is shown once, are spared it', async () => {
  expect((await raw('/settings', 'gzip')).encoding).toBe('gzip')
  expect((await raw('/settings', 'gzip;q=0')).encoding).toBeNull()
  expect((await raw('/settings', 'br')).encoding).toBeNull()
  const made = await raw('/me/keys', 'gzip', 'POST', { name: 'mine', description: 'x'.repeat(500) })
  expect(made.encoding).toBeNull()
})
