/** The shape of one usage row, and its way into the table and out of it. */
import type { Selectable } from 'kysely'
import { flag, type UsageRecordsTable } from '../schema.ts'

/** An upstream call that did not serve the request. */
export interface AttemptReason {
  /** Name of the provider. */
  readonly provider: string
  /** One of our own error codes. */
  readonly reason: string
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
}

/** A usage record as read back, with its row number. */
export interface StoredUsage extends UsageRecord {
  readonly id: number
}

type InsertedColumn = Exclude<keyof UsageRecordsTable, 'id'>

/** Value of a column. */
export type UsageCell = string | number | null

const textMax = 256

/**
 * A client's text as it can be stored: PostgreSQL refuses NUL and half a surrogate pair, and one
 * such request must not take the whole batch with it.
 */
function bounded(text: string): string {
  return text.slice(0, textMax).replaceAll('\0', '').toWellFormed()
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
}

/** The columns that an insert fills, in the order of `usageCells`. */
export const usageColumns = Object.keys(cellOf) as readonly InsertedColumn[]

const cells = Object.values(cellOf)

/** The values of these records, one row after the other, each in the order of `usageColumns`. */
export function usageCells(records: readonly UsageRecord[]): UsageCell[] {
  const values: UsageCell[] = []
  for (const record of records) {
    for (const cell of cells) values.push(cell(record))
  }
  return values
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
  }
}
