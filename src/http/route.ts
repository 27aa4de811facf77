/**
 * The shape of a row in the route table (src/routes.ts). The server, the OpenAPI document and the
 * list of promised statuses are all read from these rows.
 */
import type { z } from 'zod'
import type { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import type { RequestContext } from './request-context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call a route; checked before anything else is read.
 * - `public`: everyone.
 * - `inference`, `documents`: an API key whose scopes include that area, or a signed-in user.
 * - `realtime`: as `inference`, or a client secret, which is good for nothing else.
 * - `generation`: as `inference`; without either the account for clients that send none, if there is one.
 * - `user`: a signed-in user, or an API key with the `admin` area, of whatever role.
 * - `admin`: the same, of an administrator.
 * - `scim`: an API key with the `scim` or the `admin` area, of an administrator.
 */
export type Access = 'public' | 'inference' | 'realtime' | 'generation' | 'documents' | 'user' | 'admin' | 'scim'

/** What the OpenAPI document says of a route beyond its address. */
export interface RouteDocs {
  /** Groups routes on the /docs page. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Name of the operation for generated clients, where method and path make none that speaks. */
  readonly operation?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Media type of the body; JSON when left out. */
  readonly bodyType?: 'multipart/form-data'
  /** Media type of JSON answers and errors; `application/json` when left out. */
  readonly jsonType?: 'application/json' | 'application/scim+json'
  /** Body of the success answer as JSON. */
  readonly answer?: z.ZodType
  /** Data of each event where the success answer is streamed. */
  readonly events?: z.ZodType
  /** Media types of the success answer beside JSON and events, as ranges: `audio/*`. */
  readonly media?: readonly string[]
  /** Success status; 200 when left out. */
  readonly status?: number
  /** Body of 202, where the client may ask not to wait (`prefer: respond-async`). */
  readonly accepted?: z.ZodType
  /** Further success statuses, each with the same forms of answer. */
  readonly moreStatuses?: readonly number[]
  /** Body of its errors; OpenAI's form when left out. */
  readonly errorAnswer?: z.ZodType
  /** The request may name the version of the record that it changes, as `If-Match`. */
  readonly conditional?: boolean
  /** Error codes that the handler can answer, beyond those of its access class. */
  readonly errors?: readonly ErrorCode[]
}

/** Makes the answer of an error. @param headers those of the request, from which some addresses tell whose client asks */
export type ErrorRendering = (error: ApiError, requestId: string, headers: Headers) => Response

interface RouteAddress {
  readonly method: Method
  /** Segments are literal, `:name`, or a final `*`. */
  readonly path: string
  /** Other addresses of the same operation, for clients that build theirs differently; with the parameters of `path`, or more. */
  readonly aliases?: readonly string[]
  /** Largest body of this address; that of its reader when left out. */
  readonly bodyBytesMax?: number
  /** Answered even while the server drains: health and metrics. */
  readonly duringDrain?: boolean
  /** How errors are written on this address; in OpenAI's shape when left out. */
  readonly errorResponse?: ErrorRendering
  readonly docs: RouteDocs
}

/** A row of the table. `caller` is what the access check found. */
export type Route<Caller> =
  | (RouteAddress & { readonly access: 'public'; readonly handle: (context: RequestContext) => Answer })
  | (RouteAddress & {
      readonly access: Exclude<Access, 'public'>
      readonly handle: (context: RequestContext, caller: Caller) => Answer
    })

export type Answer = Response | Promise<Response>
