/** The types that the console gets of the API. */
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { openApiDocument } from '#http/openapi.ts'
import { json } from '#http/respond.ts'
import type { Route } from '#http/route.ts'
import { apiTypes } from '../../scripts/api-types.ts'

const thing = z
  .strictObject({
    id: z.string().describe('Never changes'),
    'odd-name': z.int().nullable(),
    tags: z.array(z.enum(['a', 'b'])).optional(),
    parts: z.array(z.strictObject({ size: z.number() })),
    more: z.record(z.string(), z.boolean()),
  })
  .meta({ id: 'Thing' })

const routes: readonly Route<null>[] = [
  {
    method: 'PUT',
    path: '/things/:id',
    access: 'public',
    docs: {
      tag: 'Things',
      summary: 'Change a thing',
      query: z.strictObject({ dry: z.enum(['true', 'false']).optional() }),
      body: thing,
      answer: thing,
    },
    handle: () => json({}),
  },
  {
    method: 'DELETE',
    path: '/things/:id',
    access: 'public',
    docs: { tag: 'Things', summary: 'Delete a thing', status: 204, conditional: true },
    handle: () => json({}),
  },
]

const text = apiTypes(await openApiDocument(routes, { title: 'Things', version: '1' }))

describe('the types', () => {
  test('have a schema with an id once, with its remarks', () => {
    expect(text.match(/export type Thing = /g)).toHaveLength(1)
    expect(text).toContain(`export type Thing = {
  /** Never changes */
  readonly id: string
  readonly "odd-name": number | null
  readonly tags?: readonly ("a" | "b")[] | undefined
  readonly parts: readonly ({
    readonly size: number
  })[]
  readonly more: { readonly [name: string]: boolean }
}`)
  })

  test('have an entry for every operation, undefined where it takes or answers nothing', () => {
    expect(text).toContain(`  /** Change a thing */
  "PUT /things/{id}": {
    params: { id: string }
    query: { dry?: "true" | "false" }
    of: undefined
    body: Thing
    answer: Thing
  }`)
    expect(text).toContain(`  "DELETE /things/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }`)
  })
})
