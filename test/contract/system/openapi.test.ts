/** The document that clients are generated from. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { bodySchema, type OpenApiDocument } from '#http/openapi.ts'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'

let app: AdminApp
let document: OpenApiDocument

beforeAll(async () => {
  app = await startAdminApp()
  document = (await app.call<OpenApiDocument>('GET', '//openapi.json', { key: null })).body
})
afterAll(() => app[Symbol.asyncDispose]())

test('is valid by the schema of OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...document })
  expect([valid, errors]).toEqual([true, undefined])
})

test('describes every success: as JSON, as events, by its media type, or as nothing', () => {
  const undescribed = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ responses }) =>
      Object.entries(responses).some(([status, { content }]) => status === '200' && content === undefined),
    )
  expect(undescribed.map(({ operationId }) => operationId)).toEqual([])
})

test('has an operation for each address that reads a body, with the schema of that body', () => {
  const withBody = Object.values(document.paths).flatMap(({ post, put, patch }) =>
    [post, put, patch].flatMap((operation) => (operation?.requestBody ? [operation] : [])),
  )
  expect(withBody.length).toBeGreaterThan(30)
  for (const operation of withBody)
    expect([operation.operationId, bodySchema(operation)]).toEqual([operation.operationId, expect.anything()])
})

test('uses no pattern that only some validators read', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, pattern]) => pattern,
  )
  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((pattern) => /\\p|\\P|\(\?</.test(pattern ?? ''))).toEqual([])
})
