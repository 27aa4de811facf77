/**
 * Requests as they end, as server-sent events: for as many viewers as there are, each with its filters. A viewer that
 * reads too slowly is dropped, and one that comes back goes on where it was.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { LiveItem, LiveRequest, LiveView } from '#gateway/usage/live-requests.ts'
import { eventStream } from '#http/event-stream.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Route } from '#http/route.ts'
import { validQuery } from '#http/validate.ts'
import type { Caller, User } from '#identity/records.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import type { Admin } from '../admin.ts'
import { adminPrefix } from '../endpoint.ts'
import { ownRequestsQuery, requestAnswer, requestOnWire, requestsQuery, statusRanges } from './usage.ts'

/** After it a viewer comes back, and is asked again who it is. */
const viewMs = 5 * 60_000
/** Whether the viewer still may, and the server still serves, is looked at this often. */
const lookMs = 1000
/** Clients wait for this long before they come back. */
const retryMs = 1000

const span = { from: true, to: true, cursor: true, limit: true } as const
const liveQuery = requestsQuery.omit(span)
const ownLiveQuery = ownRequestsQuery.omit(span)

type LiveFilter = z.output<typeof liveQuery>

const event = z.union([
  requestAnswer,
  z
    .strictObject({ count: z.int().nullable().describe('null: it is not known how many') })
    .describe('`missed`: requests that are not shown; the list has them'),
  z.strictObject({ message: z.string() }).describe('`dropped`: the viewer reads too slowly, and is not served further'),
  z.strictObject({}).describe('`ready`: what ends from now on is shown'),
])

const description = `Server-sent events: \`request\` is a request that has ended, at any process. The server ends the stream after ${viewMs / 60_000} minutes; a client that comes back with \`Last-Event-ID\` within a minute is shown what it has missed. There are no events for requests of before.`

const docs = { description, events: event, errors: ['invalid_query_parameter', 'too_many_reports'] } as const

/** The row for administrators. */
export function liveRequestRoute(admin: Admin): Route<Caller> {
  return {
    method: 'GET',
    path: `${adminPrefix}/live/requests`,
    access: 'admin',
    docs: { ...docs, tag: 'Usage', operation: 'watchRequests', summary: 'Requests as they end', query: liveQuery },
    handle: (context, caller) => watch(admin, { context, caller }, validQuery(liveQuery, context.query)),
  }
}

/** The row for everyone. @param userOf whose requests are shown */
export function ownLiveRequestRoute(admin: Admin, userOf: (watching: Watching) => User): Route<Caller> {
  return {
    method: 'GET',
    path: `${adminPrefix}/me/live/requests`,
    access: 'user',
    docs: {
      ...docs,
      errors: [...docs.errors, 'not_found'],
      tag: 'Own account',
      operation: 'watchOwnRequests',
      summary: 'The own requests as they end',
      query: ownLiveQuery,
    },
    handle: (context, caller) => {
      const filter = validQuery(ownLiveQuery, context.query)
      return watch(admin, { context, caller }, { ...filter, user_id: userOf({ context, caller }).id })
    },
  }
}

interface Watching {
  readonly context: RequestContext
  readonly caller: Caller
}

/** Answers 429 when too many watch already. */
function watch(admin: Admin, watching: Watching, filter: LiveFilter): Response {
  const { context } = watching
  const view = admin.live.view(context.request.headers.get('last-event-id'))
  if (view === null)
    throw new ApiError('too_many_reports', {
      message: 'Too many people watch requests at this server. Try again later.',
    })
  context.signal.addEventListener('abort', () => view.end(), { once: true })
  return eventStream(context, {
    pieces: eventsOf(admin, watching, { view, filter }),
    keepaliveMs: admin.settings.get('gateway.keepalive_seconds') * 1000,
    cancel: () => view.end(),
    failureEvent: ({ message }) => eventBytes('dropped', { message }),
  })
}

interface Viewing {
  readonly view: LiveView
  readonly filter: LiveFilter
}

/** The bytes of the stream, as they are asked for; null after a while without any. */
async function* eventsOf(
  admin: Admin,
  watching: Watching,
  { view, filter }: Viewing,
): AsyncGenerator<Uint8Array | null, void> {
  using _view = view
  const { clock } = watching.context
  const until = clock.elapsed() + viewMs
  yield Buffer.from(`retry: ${retryMs}\nid: ${view.place}\nevent: ready\ndata: {}\n\n`)
  while (view.over === null) {
    const items = await view.next(lookMs)
    const shown = items.flatMap((item) => bytesOf(admin, item, filter) ?? [])
    // Looked at before each of them: where requests never stop, nothing else would end it.
    if (clock.elapsed() > until || admin.draining() || !mayStill(admin, watching, filter)) return
    yield shown.length > 0 ? Buffer.concat(shown) : null
  }
  if (view.over === 'dropped')
    yield eventBytes('dropped', { message: 'This viewer reads too slowly. Some requests are not shown.' })
}

/** Rights are those of now: a viewer may have lost them since it came. */
function mayStill({ callerNow }: Admin, { caller, context }: Watching, { user_id: userId }: LiveFilter): boolean {
  if (context.trusted) return true
  const current = callerNow(caller)
  return current !== null && (current.account.user.role === 'admin' || current.account.user.id === userId)
}

function bytesOf(admin: Admin, item: LiveItem, filter: LiveFilter): Uint8Array | null {
  // The number is that of all requests, also of those that the filter leaves out and the viewer may not see.
  if (item.kind === 'missed') return eventBytes('missed', { count: isFilter(filter) ? null : item.count })
  const { request } = item
  if (!isWanted(admin, request.record, filter)) return null
  return (request.bytes ??= requestBytes(admin, request))
}

function requestBytes(admin: Admin, { place, record }: LiveRequest): Uint8Array {
  return Buffer.from(`id: ${place}\nevent: request\ndata: ${JSON.stringify(requestOnWire(admin, record))}\n\n`)
}

function eventBytes(name: string, data: object): Uint8Array {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

function isWanted({ state }: Admin, record: UsageRecord, filter: LiveFilter): boolean {
  const { model, provider, key_id: keyId, user_id: userId, group_id: groupId } = filter
  const { first, last } = filter.status === undefined ? everyStatus : statusRanges[filter.status]
  const isOf = (wanted: string | undefined, value: string | null): boolean => wanted === undefined || wanted === value
  if (!isOf(model, record.modelServed) || !isOf(provider, record.provider)) return false
  if (!isOf(keyId, record.keyId) || !isOf(userId, record.userId)) return false
  if (record.status < first || record.status > last) return false
  return groupId === undefined || (state.directory.account(record.userId ?? '')?.groupIds.has(groupId) ?? false)
}

function isFilter(filter: LiveFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

const everyStatus = { first: 0, last: 999 }
