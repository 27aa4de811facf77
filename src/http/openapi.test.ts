import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { docsPage, docsPageHtml } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'
import { json } from './respond.ts'
import type { Route } from './route.ts'

const part = z.strictObject({ size: z.int() }).meta({ id: 'Part' })
const thing = z.strictObject({ id: z.string(), parts: z.array(part), spare: part.nullable() }).meta({ id: 'Thing' })
const creation = z
  .strictObject({ name: z.string().describe('What <b>people</b> see'), size: z.int().default(3) })
  .meta({ id: 'ThingCreation' })
const query = z.strictObject({
  limit: z.coerce.number().int().default(50).describe('Most items'),
  after: z.iso.datetime({ offset: true }).optional(),
})

const handle = () => json({})
const routes: Route<null>[] = [
  {
    method: 'GET',
    path: '/things',
    access: 'inference',
    docs: { tag: 'Things', summary: 'List things', query, answer: z.object({ data: z.array(thing) }) },
    handle,
  },
  {
    method: 'POST',
    path: '/things',
    access: 'admin',
    docs: { tag: 'Things', summary: 'Make one', body: creation, answer: thing, status: 201, errors: ['conflict'] },
    handle,
  },
  {
    method: 'DELETE',
    path: '/things/:id/parts/:partId',
    access: 'user',
    docs: { tag: 'Things', summary: 'Remove a part', status: 204 },
    handle,
  },
  { method: 'GET', path: '/files/*path', access: 'public', docs: { tag: 'Files', summary: 'A file' }, handle },
]

const document = await openApiDocument(routes, { title: 'Test', version: '1.2.3' })

/** What openApiDocument rejects with. */
function failureOf(wrong: readonly Route<null>[]): Promise<string> {
  return openApiDocument(wrong, { title: 'Test', version: '1' }).then(() => 'nothing', String)
}

describe('openApiDocument', () => {
  test('has one operation for each route, with its tag', () => {
    expect(Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)])).toEqual([
      ['/things', ['get', 'post']],
      ['/things/{id}/parts/{partId}', ['delete']],
      ['/files/{path}', ['get']],
    ])
    expect(document.tags).toEqual([{ name: 'Things' }, { name: 'Files' }])
    expect(document.info).toMatchObject({ title: 'Test', version: '1.2.3' })
  })

  test.each([1, 10, 100])('of %i times the routes lets others work between them', async (times) => {
    const many = Array.from({ length: times }, (_, at) =>
      routes.map((route) => ({ ...route, path: `/${at}${route.path}` })),
    )
    const named = many.flat().map((route, at) => ({ ...route, docs: { ...route.docs, operation: `operation${at}` } }))
    let [turns, made] = [0, false]
    const others = (async () => {
      for (; !made; turns += 1) await setImmediate()
    })()
    const { paths } = await openApiDocument(named, { title: 'Test', version: '1' })
    made = true
    await others
    expect(Object.keys(paths)).toHaveLength(times * 3)
    expect(turns).toBeGreaterThanOrEqual(named.length)
  })

  test('parameters of path and query are described', () => {
    expect(
      document.paths['/things/{id}/parts/{partId}']?.['delete']?.parameters?.map(({ name, in: place, required }) => [
        name,
        place,
        required,
      ]),
    ).toEqual([
      ['id', 'path', true],
      ['partId', 'path', true],
    ])
    expect(document.paths['/things']?.['get']?.parameters).toEqual([
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Most items',
        schema: { type: 'integer', default: 50 },
      },
      { name: 'after', in: 'query', required: false, schema: { type: 'string', format: 'date-time' } },
    ])
  })

  test('a schema with an id stands once among the components, wherever it is used', () => {
    expect(Object.keys(document.components.schemas)).toEqual(['Error', 'Part', 'Thing', 'ThingCreation'])
    expect(document.components.schemas['Thing']?.properties?.['parts']).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Part' },
    })
    const post = document.paths['/things']?.['post']
    expect(post?.requestBody?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/ThingCreation' } },
    })
    expect(post?.responses['201']?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/Thing',
    })
  })

  test('a field with a default need not be sent', () => {
    expect(document.components.schemas['ThingCreation']?.required).toEqual(['name'])
  })

  test('every reference leads somewhere', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain('$defs')
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(name ?? '')
  })

  test('the statuses are those of success, of the access class and of the handle', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {})
    expect(statuses('/things', 'get')).toEqual(['200', '400', '401', '403', '500', '503'])
    expect(statuses('/things', 'post')).toEqual(['201', '400', '401', '403', '409', '500', '503'])
    expect(statuses('/files/{path}', 'get')).toEqual(['200', '400', '500', '503'])
    const denied = document.paths['/things']?.['post']?.responses['403']?.description ?? ''
    for (const code of ['scope_denied', 'origin_denied', 'admin_required']) expect(denied).toContain(`\`${code}\``)
  })

  test('operations have names that say what they do, each its own', async () => {
    const names = Object.values(document.paths).flatMap((operations) => Object.values(operations))
    expect(names.map(({ operationId }) => operationId)).toEqual([
      'listThings',
      'createThing',
      'deleteThingPart',
      'getFile',
    ])
    const twice = [...routes, { ...routes[0], path: '/admin/api/v1/things' }] as Route<null>[]
    expect(await failureOf(twice)).toContain('"listThings"')
  })

  test('keys and sessions are accepted where the access class says so', () => {
    const security = (path: string, method: string) => document.paths[path]?.[method]?.security.flatMap(Object.keys)
    expect(security('/things', 'get')).toEqual(['bearer', 'session'])
    expect(security('/things', 'post')).toEqual(['bearer', 'session'])
    expect(security('/files/{path}', 'get')).toEqual([])
  })

  test('two different schemas with one id are an error, not a guess', async () => {
    const clash: Route<null> = {
      method: 'GET',
      path: '/clash',
      access: 'public',
      docs: { tag: 'x', summary: 'x', answer: z.object({ other: z.string() }).meta({ id: 'Part' }) },
      handle,
    }
    expect(await failureOf([...routes, clash])).toContain('"Part"')
  })
})

const html = await docsPageHtml(document)

describe('docsPage', () => {
  test('shows every operation with its path, fields, statuses and a curl line', () => {
    for (const operations of Object.values(document.paths)) {
      for (const { operationId } of Object.values(operations)) {
        expect(html).toContain(`id="${operationId}"`)
        expect(html).toContain(`href="#${operationId}"`)
      }
    }
    expect(html).toContain('curl -X POST')
    expect(html).toContain('{&quot;name&quot;:&quot;…&quot;}')
    expect(html).toContain('<code>conflict</code>')
  })

  test('asks for nothing from anywhere', () => {
    expect(html).not.toMatch(/<script|<link|<img|@import|url\(|src=/)
    expect(docsPage(html).headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('no text of the document becomes markup', () => {
    expect(html).toContain('What &lt;b&gt;people&lt;/b&gt; see')
    expect(html).not.toContain('<b>people')
  })

  test('every link inside the page has its target', () => {
    const targets = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(targets).toContain(id)
  })
})
