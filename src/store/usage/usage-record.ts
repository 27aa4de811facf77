/** The shape of one usage row, and its way into the table and out of it. */
import type { Selectable } from 'kysely'
import type { ChargedRow } from '../money/settle-charges.ts'
import { flag, type UsageRecordsTable } from '../schema.ts'

/** An upstream call that did not serve the request. */
export interface AttemptReason {
  /** Name of the provider. */
  readonly provider: string
  /** One of our own error codes. */
  readonly reason: string
  /** Canonical name of the plain model; absent, as all below, in records of earlier versions. */
  readonly model?: string
  /** What the provider answered; null when it did not. */
  readonly status?: number | null
  /** A sentence of ours: never the provider's words about the request, which may quote it. */
  readonly message?: string
  /** Milliseconds from the arrival of the request until the call; null when nothing was sent. */
  readonly startedMs?: number | null
  /** Milliseconds of the call. */
  readonly durationMs?: number | null
}

export const appliedLimitKinds = ['inflight', 'rate', 'budget', 'queue'] as const

/** A limit that a request counted in, as it was right after. */
export interface AppliedLimit {
  readonly kind: (typeof appliedLimitKinds)[number]
  /** A rate as it is written; else whose limit it is. */
  readonly name: string
  readonly unit: 'requests' | 'tokens' | 'money'
  /** Money is in 10^-9 of the currency. */
  readonly limit: number
  /** Null where this process does not know. */
  readonly left: number | null
  /** The request was answered with an error because of it. */
  readonly refused: boolean
}

export interface UsageRecord {
  /** When the request arrived. */
  readonly at: number
  readonly requestId: string
  /** Null for a browser session. */
  readonly keyId: string | null
  /** Null when the caller was not known. */
  readonly userId: string | null
  /** Path below the area's prefix, for example `chat/completions`. */
  readonly endpoint: string
  /** As the client wrote it. */
  readonly modelAsked: string | null
  readonly modelId: string | null
  /** Canonical name, kept because the model may be renamed or deleted. */
  readonly modelServed: string | null
  /** Name of the provider. */
  readonly provider: string | null
  readonly upstreamStatus: number | null
  /** What the client was answered. */
  readonly status: number
  /** Code of the error, null for a success. */
  readonly code: string | null
  readonly streamed: boolean
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Part of the prompt: read from a cache. */
  readonly cachedTokens: number | null
  /** Part of the prompt: written to a cache. */
  readonly cacheWriteTokens: number | null
  /** Part of the completion. */
  readonly reasoningTokens: number | null
  /** In 10^-9 of the currency; null while no price is known. */
  readonly cost: number | null
  /** The price by which the cost was computed. */
  readonly priceId: string | null
  /** What was used beside tokens, as JSON: images, tokens of audio and images, milliseconds of audio. Null for nothing. */
  readonly units: string | null
  /** The counters of budgets that the cost counts in: a JSON list. Null for none. */
  readonly counters: string | null
  /** The slices that it was paid from: a JSON list. Null for none. */
  readonly slices: string | null
  /** Time in a queue before the first call of a provider; null where nothing queued. */
  readonly queueMs: number | null
  /** Time from the arrival until the last call of a provider began; null without a call, and in earlier records. */
  readonly calledMs: number | null
  readonly firstTokenMs: number | null
  readonly durationMs: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Upstream calls made for this request. */
  readonly attempts: number
  /** Canonical name of the plain model that served, or was tried last; of a composite one of its components. */
  readonly upstreamModel: string | null
  /** The calls that failed, in their order; null when none did. */
  readonly attemptReasons: readonly AttemptReason[] | null
  /** The limits that the request counted in, in their order; null for none. */
  readonly limits: readonly AppliedLimit[] | null
}

/** A usage record as read back, with its row number. */
export interface StoredUsage extends UsageRecord {
  readonly id: number
}

type InsertedColumn = Exclude<keyof UsageRecordsTable, 'id'>

/** Value of a column. */
export type UsageCell = string | number | null

const textMax = 256
const harmless = /^[\x20-\x5b\x5d-\x7e]{0,256}$/

/**
 * A client's text as it can be stored: PostgreSQL refuses NUL and half a surrogate pair, and one
 * such request must not take the whole batch with it.
 */
function bounded(text: string): string {
  return harmless.test(text) ? text : text.slice(0, textMax).replaceAll('\0', '').toWellFormed()
}

/** How each column that an insert fills comes out of a record; written out in the order of the table. */
const cellOf: { readonly [Column in InsertedColumn]: (record: UsageRecord) => UsageCell } = {
  at: (record) => record.at,
  request_id: (record) => bounded(record.requestId),
  key_id: (record) => record.keyId,
  user_id: (record) => record.userId,
  endpoint: (record) => record.endpoint,
  model_asked: (record) => (record.modelAsked === null ? null : bounded(record.modelAsked)),
  model_id: (record) => record.modelId,
  model_served: (record) => record.modelServed,
  provider: (record) => record.provider,
  upstream_status: (record) => record.upstreamStatus,
  status: (record) => record.status,
  code: (record) => record.code,
  streamed: (record) => flag(record.streamed),
  prompt_tokens: (record) => record.promptTokens,
  completion_tokens: (record) => record.completionTokens,
  first_token_ms: (record) => (record.firstTokenMs === null ? null : Math.round(record.firstTokenMs)),
  duration_ms: (record) => Math.round(record.durationMs),
  request_bytes: (record) => record.requestBytes,
  response_bytes: (record) => record.responseBytes,
  attempts: (record) => record.attempts,
  upstream_model: (record) => record.upstreamModel,
  attempt_reasons: (record) => (record.attemptReasons === null ? null : JSON.stringify(record.attemptReasons)),
  cached_tokens: (record) => record.cachedTokens,
  cache_write_tokens: (record) => record.cacheWriteTokens,
  reasoning_tokens: (record) => record.reasoningTokens,
  cost: (record) => record.cost,
  price_id: (record) => record.priceId,
  units: (record) => record.units,
  counters: (record) => record.counters,
  slices: (record) => record.slices,
  queue_ms: (record) => (record.queueMs === null ? null : Math.round(record.queueMs)),
  called_ms: (record) => record.calledMs,
  limits: (record) => (record.limits === null ? null : JSON.stringify(record.limits)),
}

/** The columns that an insert fills, in the order of `usageCells`. */
export const usageColumns = Object.keys(cellOf) as readonly InsertedColumn[]

const moneyPlaces = (['at', 'cost', 'counters', 'slices'] as const).map((column) => usageColumns.indexOf(column))

/** What the cells of a record say about money. */
export function chargedRow(row: readonly UsageCell[]): ChargedRow {
  const [at = 0, cost = 0, counters = 0, slices = 0] = moneyPlaces
  const text = (cell: UsageCell | undefined): string | null => (typeof cell === 'string' ? cell : null)
  return { at: Number(row[at]), cost: Number(row[cost] ?? 0), counters: text(row[counters]), slices: text(row[slices]) }
}

const cells = Object.values(cellOf)

const textColumns: ReadonlySet<InsertedColumn> = new Set([
  'request_id',
  'key_id',
  'user_id',
  'endpoint',
  'model_asked',
  'model_id',
  'model_served',
  'provider',
  'code',
  'upstream_model',
  'attempt_reasons',
  'price_id',
  'units',
  'counters',
  'slices',
  'limits',
] as const)
const isText = usageColumns.map((column) => textColumns.has(column))

const nothing = String.raw`\N`
/** Cells of the first version whose lines may still be in a journal. */
const earliestCells = usageColumns.indexOf('queue_ms') + 1
const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = /\\(.)/g
const unescaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/**
 * The record as one line of text without its line feed: what PostgreSQL's COPY takes, what the journal holds, and
 * what goes to SQLite's thread. So a record is encoded once. Cells are in the order of `usageColumns`.
 */
export function usageLine(record: UsageRecord): string {
  for (let at = 0; at < cells.length; at += 1) {
    const value = cells[at]?.(record) ?? nothing
    written[at] =
      typeof value === 'number' || value === nothing || !special.test(value) ? value : value.replace(specials, escapeOf)
  }
  return written.join('\t')
}

/** The cells of one line: a list that stays, as adding to a text makes another for each cell. */
const written: UsageCell[] = []

function escapeOf(character: string): string {
  return escapes[character] ?? character
}

/** The line with all cells of this version: later versions add columns at the end. For lines that are stored as lines. */
export function currentLine(line: string): string {
  let missing = isText.length - line.split('\t').length
  if (missing <= 0) return line
  let whole = line
  for (; missing > 0; missing -= 1) whole += `\t${nothing}`
  return whole
}

/** The cells of a line. Throws for text that is not a line of this or an earlier version. */
export function cellsOfLine(line: string): UsageCell[] {
  const texts = line.split('\t')
  if (texts.length < earliestCells || texts.length > isText.length)
    throw new Error('a usage line has the wrong number of cells')
  // Later versions add columns at the end.
  while (texts.length < isText.length) texts.push(nothing)
  return texts.map((text, at) => {
    if (text === nothing) return null
    if (isText[at] !== true) return Number(text)
    return text.includes('\\')
      ? text.replace(escaped, (_all, character: string) => unescaped[character] ?? character)
      : text
  })
}

/** The record of a line. Throws as `cellsOfLine`. */
export function recordOfLine(line: string): UsageRecord {
  const named: Record<string, UsageCell> = { id: 0 }
  for (const [at, cell] of cellsOfLine(line).entries()) named[usageColumns[at] ?? ''] = cell
  const { id: _id, ...record } = usageOf(named as unknown as Selectable<UsageRecordsTable>)
  return record
}

/** The record of a row. */
export function usageOf(row: Selectable<UsageRecordsTable>): StoredUsage {
  return {
    id: row.id,
    at: row.at,
    requestId: row.request_id,
    keyId: row.key_id,
    userId: row.user_id,
    endpoint: row.endpoint,
    modelAsked: row.model_asked,
    modelId: row.model_id,
    modelServed: row.model_served,
    provider: row.provider,
    upstreamStatus: row.upstream_status,
    status: row.status,
    code: row.code,
    streamed: row.streamed === 1,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    firstTokenMs: row.first_token_ms,
    durationMs: row.duration_ms,
    requestBytes: row.request_bytes,
    responseBytes: row.response_bytes,
    attempts: row.attempts,
    upstreamModel: row.upstream_model,
    attemptReasons: row.attempt_reasons === null ? null : (JSON.parse(row.attempt_reasons) as AttemptReason[]),
    cachedTokens: row.cached_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
    cost: row.cost,
    priceId: row.price_id,
    units: row.units,
    counters: row.counters,
    slices: row.slices,
    queueMs: row.queue_ms,
    calledMs: row.called_ms,
    limits: row.limits === null ? null : (JSON.parse(row.limits) as AppliedLimit[]),
  }
}
