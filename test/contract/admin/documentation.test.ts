/** GET /openapi.json and GET /docs, as served. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '#http/openapi.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('the documentation', () => {
  test('has an operation for every route of the admin API, open to anybody', async () => {
    const { status, body } = await app.call<OpenApiDocument>('GET', '//openapi.json', { key: null })
    expect([status, body.openapi]).toEqual([200, '3.1.1'])
    for (const { method, path } of app.routes) {
      expect(Object.keys(body.paths[path.replace(/:(\w+)/g, '{$1}')] ?? {})).toContain(method.toLowerCase())
    }
    const ids = Object.values(body.paths).flatMap((operations) =>
      Object.values(operations).map((operation) => operation.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('says of every guarded route that it answers 401 and 403, and of every body that it may be refused', async () => {
    const { body } = await app.call<OpenApiDocument>('GET', '//openapi.json', { key: null })
    for (const operations of Object.values(body.paths)) {
      for (const { operationId, security, requestBody, responses } of Object.values(operations)) {
        const statuses = Object.keys(responses)
        if (security.length > 0)
          expect([operationId, statuses]).toEqual([operationId, expect.arrayContaining(['401', '403'])])
        if (requestBody !== undefined)
          expect([operationId, statuses]).toEqual([operationId, expect.arrayContaining(['400', '413'])])
      }
    }
  })

  test('is also a page to read', async () => {
    const page = await app.call('GET', '//docs', { key: null })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text.includes('/<wbr>admin/<wbr>api/<wbr>v1/<wbr>users</code>')).toBe(true)
  })
})
