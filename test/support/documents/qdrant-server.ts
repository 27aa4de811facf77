/**
 * A server that answers as Qdrant's REST API is documented to (https://api.qdrant.tech/api-reference), as far as vectors
 * of documents use it, and fails on demand. It keeps points in memory and compares all of them; a body that is not of
 * the documented shape is refused with 400, as Qdrant does.
 */
import type { Server } from 'bun'
import { z } from 'zod'

const condition = z.strictObject({ key: z.string(), match: z.strictObject({ any: z.array(z.int()) }) })
const filter = z.strictObject({ must: z.array(condition) })
const bodies = {
  collection: z.strictObject({
    vectors: z.strictObject({ size: z.int().min(1).max(65_536), distance: z.literal('Cosine'), on_disk: z.boolean() }),
    quantization_config: z.strictObject({
      scalar: z.strictObject({ type: z.literal('int8'), always_ram: z.boolean() }),
    }),
  }),
  index: z.strictObject({ field_name: z.string(), field_schema: z.literal('integer') }),
  points: z.strictObject({
    points: z
      .array(
        z.strictObject({ id: z.int().min(0), vector: z.array(z.number()), payload: z.record(z.string(), z.int()) }),
      )
      .min(1),
  }),
  query: z.strictObject({
    query: z.array(z.number()),
    limit: z.int().min(1),
    filter: filter.optional(),
    params: z.strictObject({ hnsw_ef: z.int() }),
    with_payload: z.boolean(),
  }),
  delete: z.strictObject({ filter }),
  count: z.strictObject({ exact: z.boolean() }),
} as const

interface Collection {
  readonly size: number
  readonly points: Map<
    number,
    { readonly vector: readonly number[]; readonly payload: Readonly<Record<string, number>> }
  >
}

/**
 * `away`: refuses all calls with 503. `cut off`: does what it is asked to and answers half of it.
 */
type Fault = 'away' | 'cut off'

export interface QdrantServer extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
  /** Points of all collections. */
  points(): number
  fault: Fault | null
  /** Forgets everything, as a server on a new disk does. */
  lose(): void
}

export function startQdrantServer(): QdrantServer {
  const collections = new Map<string, Collection>()
  const apiKey = crypto.randomUUID()
  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      if (request.headers.get('api-key') !== apiKey) return new Response('Must provide an API key', { status: 401 })
      const [, , name = '', ...rest] = new URL(request.url).pathname.split('/')
      const operation = `${request.method} ${rest.join('/')}`.trim()
      if (state.fault === 'away') return failure(503, 'Service unavailable')
      const text = await request.text()
      const answer = answerTo(collections, { name, operation, body: text === '' ? undefined : JSON.parse(text) })
      return state.fault === 'cut off' ? new Response((await answer.text()).slice(0, 9), answer) : answer
    },
  })
  const state: QdrantServer = {
    url: `http://127.0.0.1:${server.port}`,
    apiKey,
    points: () => [...collections.values()].reduce((sum, { points }) => sum + points.size, 0),
    fault: null,
    lose: () => collections.clear(),
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
  return state
}

interface Asked {
  readonly name: string
  readonly operation: string
  readonly body: unknown
}

/** What is asked of a collection that is there. */
const operations: Readonly<Record<string, (collection: Collection, body: unknown) => Response>> = {
  GET: ({ points }) => result({ status: 'green', points_count: points.size }),
  'PUT index': (_collection, body) =>
    bodies.index.safeParse(body).success ? result({ status: 'completed' }) : failure(400, 'index'),
  'PUT points': put,
  'POST points/query': query,
  'POST points/count': ({ points }, body) =>
    bodies.count.safeParse(body).success ? result({ count: points.size }) : failure(400, 'count'),
  'POST points/delete': remove,
}

function answerTo(collections: Map<string, Collection>, { name, operation, body }: Asked): Response {
  const collection = collections.get(name)
  if (operation === 'PUT') return create(collections, name, body)
  if (collection === undefined) return failure(404, `Not found: Collection ${name} doesn't exist!`)
  if (operation === 'DELETE') return result(collections.delete(name))
  return operations[operation]?.(collection, body) ?? failure(404, operation)
}

function create(collections: Map<string, Collection>, name: string, body: unknown): Response {
  const parsed = bodies.collection.safeParse(body)
  if (!parsed.success) return failure(400, parsed.error.message)
  if (collections.has(name)) return failure(409, `Collection ${name} already exists!`)
  collections.set(name, { size: parsed.data.vectors.size, points: new Map() })
  return result(true)
}

function remove({ points }: Collection, body: unknown): Response {
  const parsed = bodies.delete.safeParse(body)
  if (!parsed.success) return failure(400, parsed.error.message)
  for (const [id, { payload }] of points) if (matches(payload, parsed.data.filter)) points.delete(id)
  return result({ status: 'completed' })
}

function put({ size, points }: Collection, body: unknown): Response {
  const parsed = bodies.points.safeParse(body)
  if (!parsed.success) return failure(400, parsed.error.message)
  if (parsed.data.points.some(({ vector }) => vector.length !== size)) return failure(400, 'Vector dimension error')
  for (const { id, ...point } of parsed.data.points) points.set(id, point)
  return result({ status: 'completed' })
}

function query({ size, points }: Collection, body: unknown): Response {
  const parsed = bodies.query.safeParse(body)
  if (!parsed.success) return failure(400, parsed.error.message)
  const { query: asked, limit, filter: wanted } = parsed.data
  if (asked.length !== size) return failure(400, 'Vector dimension error')
  const found = [...points]
    .filter(([, { payload }]) => wanted === undefined || matches(payload, wanted))
    .map(([id, { vector }]) => ({ id, version: 0, score: cosine(asked, vector) }))
    .sort((a, b) => b.score - a.score)
  return result({ points: found.slice(0, limit) })
}

function matches(payload: Readonly<Record<string, number>>, { must }: z.output<typeof filter>): boolean {
  return must.every(({ key, match }) => payload[key] !== undefined && match.any.includes(payload[key]))
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const lengths = Math.hypot(...a) * Math.hypot(...b)
  return lengths === 0 ? 0 : a.reduce((sum, value, at) => sum + value * b[at]!, 0) / lengths
}

function result(value: unknown): Response {
  return Response.json({ result: value, status: 'ok', time: 0.001 })
}

function failure(status: number, error: string): Response {
  return Response.json({ status: { error }, time: 0 }, { status })
}
