/**
 * Makes rows of the route table for provisioning services (SCIM 2.0, RFC 7644): bodies and answers are
 * `application/scim+json`, errors have SCIM's form, and each change is in the audit log.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Method, Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import { UnknownAttribute } from '#store/identity/scim-filter.ts'
import type { Admin } from '../admin.ts'
import { noStore } from '../endpoint.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

export const scimPrefix = '/scim/v2'

type Fields = Readonly<Record<string, unknown>>

/** One request. */
export interface ScimCall {
  readonly context: RequestContext
  readonly caller: Caller
  /** The `:id` of the path; empty without one. */
  readonly id: string
  readonly query: URLSearchParams
  /** The JSON object that was sent; empty where none is read. */
  readonly body: Fields
  /** Where resources of this server are. */
  readonly base: string
}

export interface ScimEndpoint {
  readonly method: Method
  /** Below the prefix. */
  readonly path: string
  readonly summary: string
  readonly operation: string
  /** 200 when left out. */
  readonly status?: number
  /** Resolves to the answer; null for 204. */
  readonly handle: (call: ScimCall) => Promise<Fields | null> | Fields
}

const bodyBytesMax = 1024 * 1024
const mediaType = 'application/scim+json'
const withBody: ReadonlySet<Method> = new Set(['POST', 'PUT', 'PATCH'])

const resource = z.looseObject({ schemas: z.array(z.string()) }).meta({ id: 'ScimResource' })
const errorAnswer = z
  .strictObject({
    schemas: z.array(z.string()),
    detail: z.string(),
    status: z.string(),
    scimType: z.string().optional(),
  })
  .meta({ id: 'ScimError' })

const errors: readonly ErrorCode[] = ['not_found', 'invalid_query_parameter', 'store_unavailable']
const changeErrors: readonly ErrorCode[] = [
  ...errors,
  'invalid_json',
  'invalid_body',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
  'conflict',
  'declared_read_only',
]

/** A row for one address. */
export function scimRoute(admin: Admin, endpoint: ScimEndpoint): Route<Caller> {
  const { method, summary, operation, status = 200, handle } = endpoint
  const path = scimPrefix + endpoint.path
  const isChange = method !== 'GET'
  if (!isChange)
    admin.audit.addReader(path, ({ context, caller, params }) =>
      handle({ context, caller, id: params['id'] ?? '', query: new URLSearchParams(), body: {}, base: '' }),
    )
  return {
    method,
    path,
    access: 'scim',
    errorResponse: scimError,
    docs: {
      tag: 'Provisioning (SCIM)',
      operation,
      summary,
      ...(withBody.has(method) && { body: z.looseObject({}) }),
      jsonType: mediaType,
      ...(status !== 204 && { answer: resource }),
      errorAnswer,
      status,
      errors: isChange ? changeErrors : errors,
    },
    handle: (context, caller) =>
      refusing(async () => {
        const body = withBody.has(method) ? await readBody(admin, context) : {}
        const call = { context, caller, id: idOf(context), query: context.query, body, base: baseOf(admin, context) }
        const run = async (): Promise<Fields | null> => handle(call)
        const { params } = context
        const value = isChange
          ? await admin.audit.change({ context, caller, params, method, path, body }, run)
          : await run()
        return respond(value, status)
      }),
  }
}

/** An error in the form of RFC 7644, 3.12. */
export function scimError(error: ApiError): Response {
  const status = error.code === 'validation_failed' ? 400 : error.status
  const scimType = scimTypeOf(error)
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    detail: error.message,
    status: String(status),
    ...(scimType !== null && { scimType }),
  }
  const headers: Record<string, string> = { ...noStore, 'content-type': mediaType, ...error.detail.headers }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  return new Response(JSON.stringify(body), { status, headers })
}

function scimTypeOf({ code, detail: { param } }: ApiError): string | null {
  if (code === 'conflict') return 'uniqueness'
  if (code === 'invalid_json') return 'invalidSyntax'
  if (code === 'invalid_query_parameter') return param === 'filter' ? 'invalidFilter' : 'invalidValue'
  if (code === 'declared_read_only') return 'mutability'
  if (code === 'invalid_body') return param === 'path' ? 'invalidPath' : 'invalidValue'
  return code === 'validation_failed' ? 'invalidValue' : null
}

function respond(value: Fields | null, status: number): Response {
  if (value === null) return new Response(null, { status: 204, headers: noStore })
  const headers: Record<string, string> = { ...noStore, 'content-type': mediaType }
  const { meta } = value
  if (isObject(meta) && typeof meta['location'] === 'string') headers['location'] = meta['location']
  return new Response(JSON.stringify(value), { status, headers })
}

/** Runs a handler; throws an ApiError for what the store refuses. */
async function refusing<T>(handle: () => Promise<T>): Promise<T> {
  try {
    return await mapStoreErrors(handle)
  } catch (thrown) {
    if (thrown instanceof UnknownAttribute)
      throw new ApiError('invalid_query_parameter', { param: 'filter', message: thrown.message })
    throw thrown
  }
}

async function readBody(admin: Admin, context: RequestContext): Promise<Fields> {
  const readSeconds = admin.settings.get('server.body_read_seconds')
  const { value } = await readJson(context, { bytesMax: bodyBytesMax, readSeconds })
  if (isObject(value)) return value
  throw new ApiError('invalid_body', { message: 'The request body must be a JSON object.' })
}

/** Ids are UUIDs; a database may refuse anything else. */
function idOf({ params }: RequestContext): string {
  const { id } = params
  if (id !== undefined && !/^[\w-]{1,100}$/.test(id)) throw new ApiError('not_found')
  return id ?? ''
}

function baseOf({ settings }: Admin, { request }: RequestContext): string {
  return (settings.get('server.public_url') ?? new URL(request.url).origin) + scimPrefix
}
