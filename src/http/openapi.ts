/**
 * The OpenAPI 3.1 document, made from the route table: what is checked is what is described.
 * https://spec.openapis.org/oas/v3.1.1.html
 */
import { setImmediate } from 'node:timers/promises'
import { z } from '#lib/schema.ts'
import { errorCatalogue, type ErrorCode } from '#errors/catalogue.ts'
import type { Access, Route, RouteDocs } from './route.ts'

export interface DocumentInfo {
  readonly title: string
  readonly version: string
  /** Address under which the service is reached; relative to the document when left out. */
  readonly serverUrl?: string
}

/** A JSON Schema, which may refer to the document's components. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly 'application/json': { readonly schema: Schema }
}

interface FormContent {
  readonly 'multipart/form-data': { readonly schema: Schema }
}

/** The schema for each media type or range; events are described by the data of one. */
type AnswerContent = Readonly<Record<string, { readonly schema: Schema }>>

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content | FormContent }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: AnswerContent }>>
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

/** What the runtime answers before any operation is known. */
const aboutAll =
  'A request whose address and headers have more than 16 KB together is answered with 431 and no body, whatever its address.'

/** Errors in OpenAI's form. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string().describe('What went wrong and what to do next, for people'),
      type: z.string(),
      param: z.string().nullable().describe('The field at fault, as a dotted path'),
      code: z.string().nullable().describe('Stable, for programs'),
      current: z.record(z.string(), z.unknown()).optional().describe('With `record_changed`: the record as it is now'),
    }),
  })
  .meta({ id: 'Error' })

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: Authorization: Bearer sk-slu-…' },
  session: { type: 'apiKey', in: 'cookie', name: 'sluice_session', description: 'Set by POST /admin/api/v1/session' },
}

/**
 * Requests are served between its steps: all of them take longer than one may. Rejects when two different schemas of the
 * routes have one id, or two operations one name.
 */
export async function openApiDocument<Caller>(
  routes: Iterable<Route<Caller>>,
  info: DocumentInfo,
): Promise<OpenApiDocument> {
  const components = new Components()
  const paths: Record<string, Record<string, Operation>> = {}
  const tags = new Set<string>()
  const operations = new Set<string>()
  for (const route of routes) {
    const path = (paths[templateOf(route.path)] ??= {})
    const operation = operationOf(route, components)
    if (operations.has(operation.operationId)) throw new Error(`two operations are called "${operation.operationId}"`)
    operations.add(operation.operationId)
    path[route.method.toLowerCase()] = operation
    tags.add(route.docs.tag)
    await setImmediate()
  }
  return {
    openapi: '3.1.1',
    info: { title: info.title, version: info.version, description: aboutAll },
    servers: [{ url: info.serverUrl ?? '/' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { securitySchemes, schemas: components.sorted() },
  }
}

function operationOf<Caller>(route: Route<Caller>, components: Components): Operation {
  const { method, path, access, docs } = route
  const description = descriptionOf(route)
  const parameters = [
    ...pathParameters(path),
    ...(docs.query ? queryParameters(docs.query) : []),
    ...(docs.conditional ? [ifMatch] : []),
  ]
  const body = docs.body && components.add(docs.body, 'input')
  return {
    operationId: operationId(method, path, docs),
    tags: [docs.tag],
    summary: docs.summary,
    ...(description !== '' && { description }),
    security: securityOf(access),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyContent(body, docs.bodyType) } }),
    responses: {
      ...successes(docs, components),
      ...errorResponses([...errorsOfAll, ...errorsOfAccess(access, method), ...(docs.errors ?? [])], docs, components),
    },
  }
}

function successes({ answer, events, media = [], ...docs }: RouteDocs, components: Components): Operation['responses'] {
  const content: AnswerContent = {
    ...(answer && { [docs.jsonType ?? jsonType]: { schema: components.add(answer, 'output') } }),
    ...(events && { 'text/event-stream': { schema: components.add(events, 'output') } }),
    ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }])),
  }
  const success = { description: 'Success', ...(Object.keys(content).length > 0 && { content }) }
  const accepted = docs.accepted && {
    description: 'Accepted',
    content: { 'application/json': { schema: components.add(docs.accepted, 'output') } },
  }
  return Object.fromEntries([
    ...[docs.status ?? 200, ...(docs.moreStatuses ?? [])].map((status) => [status, success] as const),
    ...(accepted === undefined ? [] : [[202, accepted] as const]),
  ])
}

/** The description of the route, with its other addresses. */
function descriptionOf<Caller>({ docs, aliases = [] }: Route<Caller>): string {
  const also = aliases.map((path) => `\`${templateOf(path)}\``).join(', ')
  return [docs.description ?? '', also && `Also at ${also}.`].filter((text) => text !== '').join('\n\n')
}

function bodyContent(schema: Schema, type: RouteDocs['bodyType']): Content | FormContent {
  return type === undefined ? { 'application/json': { schema } } : { [type]: { schema } }
}

/** The schema of a request's body, whatever its media type. */
export function bodySchema({ requestBody }: Pick<Operation, 'requestBody'>): Schema | undefined {
  const { content } = requestBody ?? {}
  if (content === undefined) return undefined
  return 'application/json' in content ? content['application/json'].schema : content['multipart/form-data'].schema
}

function errorResponses(
  codes: readonly ErrorCode[],
  { errorAnswer = errorSchema, jsonType: type = jsonType }: RouteDocs,
  components: Components,
): Operation['responses'] {
  const byStatus = new Map<number | '4XX', Set<ErrorCode>>()
  for (const code of codes) {
    // What a provider refuses keeps the provider's status.
    const status = code === 'upstream_rejected' ? '4XX' : errorCatalogue[code].status
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const schema = components.add(errorAnswer, 'output')
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const description = [...ofStatus].map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('\n\n')
      return [status, { description, content: { [type]: { schema } } }]
    }),
  )
}

const jsonType = 'application/json'

/** What every address can answer. */
const errorsOfAll: readonly ErrorCode[] = ['invalid_host', 'internal_error', 'shutting_down']

function errorsOfAccess(access: Access, method: string): readonly ErrorCode[] {
  if (access === 'public') return []
  return [
    'conflicting_api_keys',
    'missing_api_key',
    'invalid_api_key',
    'scope_denied',
    'invalid_session',
    ...(method === 'GET' ? [] : (['origin_denied'] as const)),
    ...(access === 'admin' || access === 'scim' ? (['admin_required'] as const) : []),
  ]
}

function securityOf(access: Access): Operation['security'] {
  return access === 'public' ? [] : [{ bearer: [] }, { session: [] }]
}

/** `/keys/:id` and `/models/*name` as OpenAPI writes them. */
function templateOf(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}

/** `listUsers`, `getUser`, `createUser`, `retryDocument`: what the method does there, and what it does it to. */
function operationId(method: string, path: string, { operation }: RouteDocs): string {
  if (operation !== undefined) return operation
  const segments = path.replace(/^(\/(admin\/)?api\/v1|\/ai\/v1)?\//, '').split('/')
  const end = pascal(segments.at(-1) ?? '')
  if (method === 'POST' && postVerbs.has(end)) return camel(end) + thingAt(segments.slice(0, -1)).name
  const { name, isMany } = thingAt(segments)
  if (method === 'GET') return `${isMany ? 'list' : 'get'}${name}`
  if (method === 'POST') return `create${singular(name)}`
  return (restVerbs[method] ?? camel(method)) + name
}

/** What a path names: one thing when it ends with a parameter, or with a word in the singular. */
function thingAt(segments: readonly string[]): { readonly name: string; readonly isMany: boolean } {
  const words = segments.filter((segment) => !isParameter(segment)).map(pascal)
  const last = words.at(-1) ?? ''
  const isOne = isParameter(segments.at(-1) ?? '')
  const name = [...words.slice(0, -1).map(singular), isOne ? singular(last) : last].join('')
  return { name, isMany: !isOne && last !== singular(last) }
}

const restVerbs: Readonly<Record<string, string>> = { PUT: 'set', PATCH: 'update', DELETE: 'delete' }

/** What POST does to the thing before it in the path. */
const postVerbs: ReadonlySet<string> = new Set(['Cancel', 'Retry', 'Delete', 'Test', 'Import', 'Reconcile'])

function isParameter(segment: string): boolean {
  return /^[:*]/.test(segment)
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** `inflight-limits`, `openapi.json` and `doc_id` as one word of a name. */
function pascal(text: string): string {
  return text.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/([:*])(\w+)/g)].map(([, kind = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(kind === '*' && { description: 'May hold slashes.' }),
    schema: { type: 'string' },
  }))
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `etag` of the record: the answer is 409 when it has another one now. Left out or `*`: any will do.',
  schema: { type: 'string' },
}

function queryParameters(query: z.ZodObject): Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' }) as Schema
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: simplified(schema),
  }))
}

const definitions = '#/$defs/'
const componentsPath = '#/components/schemas/'

/** A schema as the document has it, and the named ones in it. */
interface Converted {
  readonly schema: Schema
  readonly named: Readonly<Record<string, Schema>>
}

/** Many routes share schemas, so each is converted once. */
const converted = { input: new WeakMap<z.ZodType, Converted>(), output: new WeakMap<z.ZodType, Converted>() }

function convert(schema: z.ZodType, io: 'input' | 'output'): Converted {
  // Wrapped, because a schema at the root is never made a definition.
  const wrapped = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: 'any' })
  const { $defs = {}, properties } = JSON.parse(
    JSON.stringify(wrapped).replaceAll(`"${definitions}`, `"${componentsPath}`),
  ) as {
    readonly $defs?: Record<string, Schema>
    readonly properties: { readonly root: Schema }
  }
  // The converter repeats the id inside, where JSON Schema gives it no meaning.
  const named = Object.entries($defs).map(([id, definition]) => {
    const rest = Object.entries(definition).filter(([name]) => name !== 'id')
    return [id, simplified(Object.fromEntries(rest) as Schema)] as const
  })
  return { schema: simplified(properties.root), named: Object.fromEntries(named) }
}

/** The schemas that have an id, each once. */
class Components {
  readonly #schemas = new Map<string, Schema>()

  /** The schema, its named parts as references into the components. */
  add(schema: z.ZodType, io: 'input' | 'output'): Schema {
    let known = converted[io].get(schema)
    if (known === undefined) converted[io].set(schema, (known = convert(schema, io)))
    for (const [id, named] of Object.entries(known.named)) this.#define(id, named)
    return known.schema
  }

  sorted(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #define(id: string, schema: Schema): void {
    const known = this.#schemas.get(id)
    if (known !== undefined && known !== schema && !Bun.deepEquals(known, schema))
      throw new Error(`two different schemas are called "${id}"`)
    this.#schemas.set(id, schema)
  }
}

const controls = String.raw`\u0000-\u001f\u007f-\u009f`

/**
 * What clients can use of a schema: the expressions behind formats are long and repeat the format, the bounds of safe
 * integers say nothing new either, and not every validator knows classes of characters by name.
 */
function simplified<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string')
      return value.replaceAll('\\P{Cc}', `[^${controls}]`).replaceAll('\\p{Cc}', controls)
    if (typeof value !== 'object' || value === null || key === 'properties') return value
    const kept = Object.entries(value).filter(([name, each]) => {
      if (name === 'pattern') return !('format' in value)
      return !(name === 'maximum' || name === 'minimum') || Math.abs(Number(each)) < Number.MAX_SAFE_INTEGER
    })
    return Array.isArray(value) ? value : Object.fromEntries(kept)
  }) as T
}
