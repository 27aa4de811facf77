/**
 * Makes rows of the route table for the admin API. One schema checks what comes in and describes it
 * in the OpenAPI document; one checks at compile time what goes out.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { compressibleJson, json, noContent } from '#http/respond.ts'
import type { Method, Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from './admin.ts'
import { mapStoreErrors } from './map-store-errors.ts'
import { OtherVersion, unchangedBy, type Unchanged, type Versioned } from './record-version.ts'
import { reloadAfterLostWrite } from './reload-after-lost-write.ts'
import { validBody, validQuery } from '#http/validate.ts'

/** Every address of the admin API begins with this. */
export const adminPrefix = '/admin/api/v1'

const bodyBytesMax = 1024 * 1024

/** No browser or proxy keeps an answer: it may hold a secret, and the next one may differ. */
export const noStore = { 'cache-control': 'no-store' }

type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** One request, its parts checked. */
export interface Call<Path extends string, Query, Body> {
  readonly context: RequestContext
  readonly caller: Caller
  /** The `:name` parts of the path. */
  readonly params: Readonly<Record<ParamName<Path>, string>>
  readonly query: Query
  readonly body: Body
  /** Makes the check of `If-Match` for a change of the store. Obeyed only by an endpoint with `current`. */
  readonly unchanged: Unchanged
}

export interface Endpoint<Path extends string, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType> {
  readonly method: Method
  /** Below the prefix. */
  readonly path: Path
  readonly access: 'user' | 'admin'
  readonly summary: string
  readonly description?: string
  /** As of RouteDocs. */
  readonly operation?: string
  /** Left out: any query is refused. */
  readonly query?: Q
  readonly body?: B
  /** Left out: the answer is 204. */
  readonly answer?: A
  /** 200 when left out. */
  readonly status?: number
  /** Codes that the handler itself can answer; those of reading the request are added. */
  readonly errors?: readonly ErrorCode[]
  /** True: it is asked by POST and changes nothing, so that it leaves no rows in the audit log. */
  readonly asks?: boolean
  /** True: it may read very many rows, so an account makes a few at once and no more. */
  readonly report?: boolean
  /**
   * The record that this changes, as it is. The request may then have `If-Match`: the handler gives `unchanged` to the
   * store, and a change of another version is answered with 409 and this.
   */
  readonly current?: (call: Call<Path, unknown, unknown>) => Versioned | Promise<Versioned>
  readonly handle: (call: Call<Path, z.output<Q>, z.output<B>>) => z.input<A> | Promise<z.input<A>>
}

const noQuery = z.strictObject({})

/** A maker of routes under one heading of the documentation. */
export function endpointsOf(admin: Admin, tag: string) {
  return <
    const Path extends string,
    Q extends z.ZodObject = typeof noQuery,
    B extends z.ZodType = z.ZodUndefined,
    A extends z.ZodType = z.ZodVoid,
  >(
    endpoint: Endpoint<Path, Q, B, A>,
  ): Route<Caller> => {
    const { method, access, summary, description, operation, query, body, answer, status = 200 } = endpoint
    if (method === 'GET' && endpoint.report !== true)
      admin.audit.addReader(endpoint.path, ({ params, ...asking }) =>
        endpoint.handle({
          ...asking,
          params: params as Readonly<Record<ParamName<Path>, string>>,
          query: (query ?? noQuery).parse({}) as z.output<Q>,
          body: undefined as z.output<B>,
          unchanged: () => undefined,
        }),
      )
    return {
      method,
      path: adminPrefix + endpoint.path,
      access,
      docs: {
        tag,
        summary,
        ...(description !== undefined && { description }),
        ...(operation !== undefined && { operation }),
        ...(query && { query }),
        ...(body && { body }),
        ...(answer && { answer }),
        status: answer ? status : 204,
        ...(endpoint.current && { conditional: true }),
        errors: errorsOf(endpoint),
      },
      handle: (context, caller) =>
        mapStoreErrors(async () => {
          const call = {
            context,
            caller,
            params: checkedParams(context) as Readonly<Record<ParamName<Path>, string>>,
            query: validQuery(query ?? noQuery, context.query) as z.output<Q>,
            body: (body && (await readBody(admin, context, body))) as z.output<B>,
            unchanged: unchangedBy(context.request.headers),
          }
          const value = await run(admin, endpoint, call)
          if (!answer) return noContent(noStore)
          const version = tagOf(value)
          if (version !== null) return json(value, status, { ...noStore, etag: version })
          // What answers to other methods holds can be secret: its length must not depend on what is secret in it.
          return method === 'GET' ? compressibleJson(context.request, value, noStore) : json(value, status, noStore)
        }),
    }
  }
}

/** Runs the handler. When the record has another version than the request expects, the refusal has the record in it. */
async function tellingCurrent<Path extends string, Q, B, A>(
  { handle, current }: { handle: (call: Call<Path, Q, B>) => A; current?: (call: Call<Path, Q, B>) => unknown },
  call: Call<Path, Q, B>,
): Promise<Awaited<A>> {
  try {
    return await handle(call)
  } catch (thrown) {
    if (!(thrown instanceof OtherVersion) || current === undefined) throw thrown
    throw new ApiError('record_changed', { current: (await current(call)) as Versioned })
  }
}

/** The version of the record that is the answer; null for an answer that is not a record. */
function tagOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && 'etag' in value ? String(value.etag) : null
}

/** Runs the handler: reports a few at a time, and what can change something with its rows in the audit log. */
function run<Path extends string, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType>(
  admin: Admin,
  endpoint: Endpoint<Path, Q, B, A>,
  call: Call<Path, z.output<Q>, z.output<B>>,
): z.input<A> | Promise<z.input<A>> {
  const { method, path, report, asks } = endpoint
  const handle = () => tellingCurrent(endpoint, call)
  const recorded =
    method === 'GET' || asks === true
      ? handle
      : () => admin.audit.change({ ...call, method, path }, () => reloadAfterLostWrite(admin, handle))
  return report === true ? admin.reports.run(call.caller.account.user.id, recorded) : recorded()
}

/** A JSON body of at most 1 MB as the schema has it. Answers 400, 408, 413, 415 and 422. */
export async function readBody<S extends z.ZodType>(
  admin: Admin,
  context: RequestContext,
  schema: S,
): Promise<z.output<S>> {
  const readSeconds = admin.settings.get('server.body_read_seconds')
  const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
  return validBody(schema, value)
}

/** What reading a JSON body can answer. */
export const bodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
  'validation_failed',
]

function errorsOf(endpoint: {
  readonly path: string
  readonly query?: unknown
  readonly body?: unknown
  readonly errors?: readonly ErrorCode[]
  readonly report?: boolean
  readonly current?: unknown
}): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors)
  if (endpoint.query !== undefined) codes.add('invalid_query_parameter')
  if (endpoint.path.includes(':')) codes.add('not_found')
  if (endpoint.report === true) codes.add('too_many_reports')
  if (endpoint.current !== undefined) codes.add('record_changed')
  if (endpoint.body !== undefined) for (const code of bodyErrors) codes.add(code)
  return [...codes.add('store_unavailable')]
}

/** Ids and setting names. Anything else is not an address of ours, and a database may refuse it. */
const harmless = /^[\w.-]{1,200}$/

function checkedParams({ params }: RequestContext): Readonly<Record<string, string>> {
  if (Object.values(params).some((value) => !harmless.test(value))) throw new ApiError('not_found')
  return params
}
