/** A batch as its row holds it. */
import type { BatchesTable } from '../schema.ts'

export type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled'

/** Whose words its addresses and results are in. `async`: one request that was sent alone, with results in the words of `openai`. */
export type BatchDialect = 'openai' | 'anthropic' | 'async'

/** Tokens of lines. Cached ones are part of the input, those of reasoning part of the output. */
export interface BatchUsage {
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning: number
}

export interface Batch {
  readonly id: string
  readonly userId: string
  /** The key that made it; its lines have that key's rights. Null when it was made without one. */
  readonly keyId: string | null
  readonly dialect: BatchDialect
  /** As the client wrote it, or as the service of that dialect writes it. */
  readonly endpoint: string
  readonly completionWindow: string
  /** JSON, or null. */
  readonly metadata: string | null
  readonly inputFileId: string
  /** Known from when the lines are valid; the files are there once they have a line. */
  readonly outputFileId: string | null
  readonly errorFileId: string | null
  /** How long its files are kept. */
  readonly filesExpireMs: number | null
  /** Names of models whose lines go to the provider as a batch of its own. */
  readonly nativeModels: readonly string[]
  readonly status: BatchStatus
  /** Why it ends before all lines are done; null: it does not. */
  readonly outcome: 'cancelled' | 'expired' | null
  /** JSON list of what validation has found, or null. */
  readonly errors: string | null
  readonly total: number
  readonly completed: number
  readonly failed: number
  /** Those of the failed ones that were not called, because the batch was cancelled or has expired. */
  readonly undone: number
  /** The sum of all lines that have a price, in 10^-9 of the currency; null while there is none. */
  readonly cost: number | null
  /** How many lines failed, by the code of their error. */
  readonly failures: Readonly<Record<string, number>>
  /** The tokens of all lines that reported any; null while there are none. */
  readonly usage: BatchUsage | null
  /** The one that all lines name; null for several, and before they are valid. */
  readonly model: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly inProgressAt: number | null
  readonly cancellingAt: number | null
  readonly finalizingAt: number | null
  readonly endedAt: number | null
}

/** Throws nothing: the store writes these rows itself. */
export function batchOf(row: BatchesTable): Batch {
  return {
    id: row.id,
    userId: row.user_id,
    keyId: row.key_id,
    dialect: row.dialect as BatchDialect,
    endpoint: row.endpoint,
    completionWindow: row.completion_window,
    metadata: row.metadata,
    inputFileId: row.input_file_id,
    outputFileId: row.output_file_id,
    errorFileId: row.error_file_id,
    filesExpireMs: row.files_expire_ms,
    nativeModels: row.native_models === null ? [] : (JSON.parse(row.native_models) as string[]),
    status: row.status as BatchStatus,
    outcome: row.outcome as Batch['outcome'],
    errors: row.errors,
    total: row.total,
    completed: row.completed,
    failed: row.failed,
    undone: row.undone,
    cost: row.cost,
    failures: row.failures === null ? {} : (JSON.parse(row.failures) as Record<string, number>),
    usage: row.usage === null ? null : (JSON.parse(row.usage) as BatchUsage),
    model: row.model,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    inProgressAt: row.in_progress_at,
    cancellingAt: row.cancelling_at,
    finalizingAt: row.finalizing_at,
    endedAt: row.ended_at,
  }
}

export function batchRow(batch: Batch): BatchesTable {
  return {
    id: batch.id,
    user_id: batch.userId,
    key_id: batch.keyId,
    dialect: batch.dialect,
    endpoint: batch.endpoint,
    completion_window: batch.completionWindow,
    metadata: batch.metadata,
    input_file_id: batch.inputFileId,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    files_expire_ms: batch.filesExpireMs,
    status: batch.status,
    outcome: batch.outcome,
    errors: batch.errors,
    total: batch.total,
    completed: batch.completed,
    failed: batch.failed,
    undone: batch.undone,
    cost: batch.cost,
    failures: Object.keys(batch.failures).length === 0 ? null : JSON.stringify(batch.failures),
    usage: batch.usage && JSON.stringify(batch.usage),
    model: batch.model,
    parts_left: 0,
    has_results: 0,
    native_models: batch.nativeModels.length === 0 ? null : JSON.stringify(batch.nativeModels),
    created_at: batch.createdAt,
    expires_at: batch.expiresAt,
    in_progress_at: batch.inProgressAt,
    cancelling_at: batch.cancellingAt,
    finalizing_at: batch.finalizingAt,
    ended_at: batch.endedAt,
  }
}
