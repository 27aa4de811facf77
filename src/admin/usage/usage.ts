/** Routes of usage: sums, sums over time, and single requests. No prompt and no answer is ever in it. */
import { instant, instantOf, pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { appliedLimitKinds, type AttemptReason, type UsageRecord } from '#store/usage/usage-record.ts'
import type { UsageFilter, UsagePoint, UsageTotals } from '#store/usage/usage.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id, time } from '../fields.ts'
import { bucketMs, bucketsMax, bucketsOf, modelName, span, spanOf } from './span.ts'

/** Points of one answer, each some 300 bytes. */
const pointsMax = 10_000
const groupsMax = 200

const ownFilter = {
  ...span,
  key_id: id.optional(),
  model: modelName.optional().describe('Canonical name of the model'),
  provider: modelName.optional().describe('Name of the provider that served'),
}
const filter = {
  ...ownFilter,
  user_id: id.optional(),
  group_id: id.optional().describe('Only users who are members now'),
}
const bucket = z
  .enum(['minute', 'hour', 'day'])
  .default('hour')
  .describe('Buckets begin at whole minutes, hours or days of UTC')

const groups = {
  top: z.coerce
    .number()
    .int()
    .min(1)
    .max(groupsMax)
    .optional()
    .describe('Only this many groups, those with the most requests; the sums of all others are in `others`'),
  top_by: z.enum(['requests', 'cost']).default('requests').describe('What the groups of `top` have the most of'),
  cursor: z.string().max(2000).optional().describe('`next_cursor` of the page before'),
  limit: z.coerce.number().int().min(1).max(groupsMax).default(100).describe('Most groups of a page'),
}

export const ownTotalsQuery = z.strictObject(ownFilter)
export const ownSeriesQuery = z.strictObject({
  ...ownFilter,
  ...groups,
  bucket,
  group_by: z.enum(['model', 'key', 'provider', 'none']).default('none'),
})
const totalsQuery = z.strictObject(filter)
const seriesQuery = z.strictObject({
  ...filter,
  ...groups,
  bucket,
  group_by: z
    .enum(['model', 'user', 'key', 'provider', 'group', 'none'])
    .default('none')
    .describe('With `group`, a request counts in each group of its user'),
})

const sums = {
  requests: z.int(),
  errors: z.int().describe('Requests that were answered with 400 or above'),
  prompt_tokens: z.int().describe('As far as providers reported them'),
  completion_tokens: z.int(),
  cached_tokens: z.int().describe('Part of the prompt tokens: read from a cache'),
  cache_write_tokens: z.int().describe('Part of the prompt tokens: written to a cache'),
  reasoning_tokens: z.int().describe('Part of the completion tokens'),
  request_bytes: z.int(),
  response_bytes: z.int(),
  duration_ms: z.int().describe('Sum over all requests'),
  cost: z.int().describe('In 10^-9 of the currency, of requests whose price is known'),
  first_tokens: z.int().describe('Streams that had a first token'),
  first_token_ms: z.int().describe('Sum over those, of the time until it'),
}

export const totalsAnswer = z
  .strictObject({ from: instant, to: instant, currency: z.string().describe('Of `cost`'), ...sums })
  .meta({ id: 'UsageTotals' })
const point = z
  .strictObject({
    at: instant,
    group: z.string().nullable().describe("The model's or provider's name, or the id of the user, key or group"),
    ...sums,
  })
  .meta({ id: 'UsagePoint' })
export const seriesAnswer = z
  .strictObject({
    from: instant,
    to: instant,
    data: z.array(point).describe('Buckets without requests are left out'),
    others: z.array(point).describe('With `top`: the sums of all groups that are not in `data`'),
    next_cursor: z.string().nullable().describe('For the next groups by name; null at the last page and with `top`'),
  })
  .meta({ id: 'UsageSeries' })

export const requestAnswer = z
  .strictObject({
    at: instant,
    request_id: z.string(),
    user_id: z.string().nullable(),
    key_id: z.string().nullable(),
    endpoint: z.string(),
    model_asked: z.string().nullable().describe('As the client wrote it'),
    model: z.string().nullable().describe('Canonical name of the model that served'),
    provider: z.string().nullable(),
    status: z.int(),
    code: z.string().nullable().describe('Of the error; null for a success'),
    upstream_status: z.int().nullable(),
    attempts: z.int().describe('Calls to providers'),
    upstream_model: z.string().nullable().describe('The plain model that served, of a composite one of its components'),
    attempt_reasons: z
      .array(
        z.strictObject({
          provider: z.string(),
          reason: z.string(),
          model: z.string().nullable(),
          status: z.int().nullable().describe('What the provider answered; null when it did not'),
          message: z.string().nullable().describe('Never quotes the request'),
          started_ms: z.int().nullable().describe('From the arrival; null when nothing was sent'),
          duration_ms: z.int().nullable(),
        }),
      )
      .describe('The calls that failed, in their order; records of earlier versions have `provider` and `reason` only'),
    limits: z
      .array(
        z.strictObject({
          kind: z.enum(appliedLimitKinds),
          name: z.string().describe('A rate as the setting has it; else whose limit it is'),
          unit: z.enum(['requests', 'tokens', 'money']).describe('`money` is 10^-9 of the currency'),
          limit: z.number(),
          left: z
            .number()
            .nullable()
            .describe('Right after this request, as far as the process knew; null for unknown'),
          refused: z.boolean().describe('The request was answered with an error because of it'),
        }),
      )
      .describe('The limits that counted the request, in their order; none for records of earlier versions'),
    queue_ms: z.int().nullable().describe('Time in the queues of `max_concurrent`; null when it did not wait'),
    called_ms: z.int().nullable().describe('From the arrival until the last call of a provider began'),
    streamed: z.boolean(),
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
    cached_tokens: z.int().nullable(),
    cache_write_tokens: z.int().nullable(),
    reasoning_tokens: z.int().nullable(),
    cost: z.int().nullable().describe('In 10^-9 of the currency; null when it is not known'),
    price_id: z.string().nullable(),
    currency: z.string().describe('Of `cost`'),
    first_token_ms: z.int().nullable(),
    duration_ms: z.int(),
    request_bytes: z.int(),
    response_bytes: z.int(),
  })
  .meta({ id: 'RequestRecord' })

export const statusRanges = {
  success: { first: 100, last: 399 },
  error: { first: 400, last: 999 },
  client_error: { first: 400, last: 499 },
  server_error: { first: 500, last: 999 },
} as const

const requestFilter = {
  status: z
    .enum(['success', 'error', 'client_error', 'server_error'])
    .optional()
    .describe('Only requests that ended so: below 400, from 400, from 400 to 499, from 500'),
}
export const ownRequestsQuery = pageQuery.extend({ ...ownFilter, ...requestFilter })
export const requestsQuery = pageQuery.extend({ ...filter, ...requestFilter })
export const requestQuery = z.strictObject({
  at: time.optional().describe('When it arrived. Clients may send one id twice: the newest counts when left out'),
})
export const requestDescription =
  'An id that Sluice made is found at once. For one that the client sent in `X-Request-Id`, all requests are read through unless `at` is given.'
export const requestsAnswer = pageAnswer(requestAnswer)

export const seriesDescription = `At most ${bucketsMax} buckets and ${pointsMax} points. With \`group_by\` it is a page of groups, in the order of their names, with all of their points; a page has fewer groups than \`limit\` when they would have more points. \`top\` gives the largest groups instead.`

export function usageRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Usage')
  return [
    route({
      method: 'GET',
      path: '/usage',
      access: 'admin',
      summary: 'What was used in a span of time',
      query: totalsQuery,
      answer: totalsAnswer,
      report: true,
      handle: ({ query }) => readTotals(admin, query),
    }),
    route({
      method: 'GET',
      path: '/usage/series',
      access: 'admin',
      summary: 'The same over time',
      description: seriesDescription,
      errors: ['invalid_cursor'],
      query: seriesQuery,
      answer: seriesAnswer,
      report: true,
      handle: ({ query }) => readSeries(admin, query),
    }),
    route({
      method: 'GET',
      path: '/requests',
      access: 'admin',
      summary: 'Single requests, the newest first',
      query: requestsQuery,
      answer: requestsAnswer,
      errors: ['invalid_cursor'],
      report: true,
      handle: ({ query }) => readRequests(admin, query),
    }),
    route({
      method: 'GET',
      path: '/requests/:id',
      access: 'admin',
      summary: 'One request, by its id',
      description: requestDescription,
      query: requestQuery,
      answer: requestAnswer,
      errors: ['not_found'],
      report: true,
      handle: ({ params, query }) => readRequest(admin, { ...params, ...query }),
    }),
  ]
}

interface Asked {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly user_id?: string | undefined
  readonly key_id?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly group_id?: string | undefined
}

/** The sums over a span of time. */
export async function readTotals(admin: Admin, asked: Asked): Promise<z.input<typeof totalsAnswer>> {
  const wanted = filterOf(admin, asked)
  const currency = admin.settings.get('prices.currency')
  return { ...spanOnWire(wanted), currency, ...sumsOnWire(await admin.store.usage.totals(wanted)) }
}

/** The sums for each bucket and group; the first bucket is a whole one. Answers 400 for too many buckets and for a cursor that is not valid. */
export async function readSeries(
  admin: Admin,
  asked: Asked & Pick<z.output<typeof seriesQuery>, 'bucket' | 'group_by' | 'top' | 'top_by' | 'cursor' | 'limit'>,
): Promise<z.input<typeof seriesAnswer>> {
  const filtered = filterOf(admin, asked)
  const { from, buckets } = bucketsOf(filtered, asked.bucket)
  const wanted = { ...filtered, from }
  const limit = Math.max(1, Math.min(asked.top ?? asked.limit, Math.floor(pointsMax / buckets)))
  const { points, others, nextCursor } = await admin.store.usage.series({
    ...wanted,
    bucketMs: bucketMs[asked.bucket],
    groupBy: asked.group_by,
    groups:
      asked.top === undefined
        ? { kind: 'page', limit, cursor: asked.cursor }
        : { kind: 'top', limit, by: asked.top_by },
  })
  return {
    ...spanOnWire(wanted),
    data: points.map(pointOnWire),
    others: others.map(pointOnWire),
    next_cursor: nextCursor,
  }
}

function pointOnWire({ at, group, ...totals }: UsagePoint) {
  return { at: instantOf(at), group, ...sumsOnWire(totals) }
}

/** A page of single requests, the newest first. Answers 400 for a cursor that is not valid. */
export async function readRequests(
  admin: Admin,
  asked: Asked & Pick<z.output<typeof requestsQuery>, 'cursor' | 'limit' | 'status'>,
): Promise<z.input<typeof requestsAnswer>> {
  const { cursor, limit } = asked
  const status = asked.status && statusRanges[asked.status]
  const wanted = { ...filterOf(admin, asked), status, cursor, limit }
  return pageOnWire(await admin.store.usage.list(wanted), (row) => requestOnWire(admin, row))
}

/** The newest request of this id. Answers the same 404 for an id that is unknown and for one of another user. */
export async function readRequest(
  admin: Admin,
  { id: requestId, at, userId }: { readonly id: string; readonly at?: number | undefined; readonly userId?: string },
): Promise<z.input<typeof requestAnswer>> {
  const row = await admin.store.usage.find({ requestId, at, userId })
  if (row !== null) return requestOnWire(admin, row)
  throw new ApiError('not_found', {
    message: 'No request has this id. A request appears about a second after it ends, and is removed after some time.',
  })
}

function filterOf({ clock }: Admin, asked: Asked): UsageFilter {
  // Everyone is a member of this group without a row that says so.
  const groupId = asked.group_id === everyoneGroupId ? undefined : asked.group_id
  const { user_id: userId, key_id: keyId, model, provider } = asked
  return { ...spanOf(clock, asked), userId, keyId, model, provider, groupId }
}

function spanOnWire({ from, to }: UsageFilter): { from: string; to: string } {
  return { from: instantOf(from), to: instantOf(to) }
}

function sumsOnWire(totals: UsageTotals) {
  return {
    requests: totals.requests,
    errors: totals.errors,
    prompt_tokens: totals.promptTokens,
    completion_tokens: totals.completionTokens,
    cached_tokens: totals.cachedTokens,
    cache_write_tokens: totals.cacheWriteTokens,
    reasoning_tokens: totals.reasoningTokens,
    request_bytes: totals.requestBytes,
    response_bytes: totals.responseBytes,
    duration_ms: totals.durationMs,
    cost: totals.cost,
    first_tokens: totals.firstTokens,
    first_token_ms: totals.firstTokenMs,
  }
}

function attemptOnWire({ provider, reason, model, status, message, startedMs, durationMs }: AttemptReason) {
  return {
    provider,
    reason,
    model: model ?? null,
    status: status ?? null,
    message: message ?? null,
    started_ms: startedMs ?? null,
    duration_ms: durationMs ?? null,
  }
}

/** A request as it goes out. */
export function requestOnWire({ settings }: Pick<Admin, 'settings'>, row: UsageRecord): z.input<typeof requestAnswer> {
  return {
    at: instantOf(row.at),
    request_id: row.requestId,
    user_id: row.userId,
    key_id: row.keyId,
    endpoint: row.endpoint,
    model_asked: row.modelAsked,
    model: row.modelServed,
    provider: row.provider,
    status: row.status,
    code: row.code,
    upstream_status: row.upstreamStatus,
    attempts: row.attempts,
    upstream_model: row.upstreamModel,
    attempt_reasons: (row.attemptReasons ?? []).map(attemptOnWire),
    limits: [...(row.limits ?? [])],
    queue_ms: row.queueMs,
    called_ms: row.calledMs,
    streamed: row.streamed,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    reasoning_tokens: row.reasoningTokens,
    cost: row.cost,
    price_id: row.priceId,
    currency: settings.get('prices.currency'),
    first_token_ms: row.firstTokenMs,
    duration_ms: row.durationMs,
    request_bytes: row.requestBytes,
    response_bytes: row.responseBytes,
  }
}
