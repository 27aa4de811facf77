/** What the routes of the documents have in common. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route, RouteDocs } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'

export interface Row {
  readonly method: Route<Caller>['method']
  readonly path: string
  readonly docs: Omit<RouteDocs, 'tag'>
  readonly handle: (context: RequestContext, caller: Caller) => Promise<Response>
}

/** The id in the path. A text that is not a UUID is the id of no document. */
export function docId({ params }: RequestContext): string {
  const id = params['doc_id']?.toLowerCase() ?? ''
  if (z.guid().safeParse(id).success) return id
  throw new ApiError('not_found', { message: 'No document with this id is visible to you.' })
}
