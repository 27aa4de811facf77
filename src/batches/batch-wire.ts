/** A batch as OpenAI's API writes it. */
import { z } from '#lib/schema.ts'
import type { Batch, BatchUsage } from '#store/batches/batch-row.ts'
import { batchEndpoints } from './lines/line-calls.ts'
import { secondsOf } from './files/files.ts'

const statuses = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const
const moment = z.int().nullable().describe('Seconds since 1970')
const usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
})
const metadata = z.record(z.string(), z.string()).nullish()

const fault = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().nullable().describe('Number of the line in the input file, from 1'),
})

export const batchAnswer = z
  .object({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    errors: z.object({ object: z.literal('list'), data: z.array(fault) }).nullable(),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum(statuses),
    output_file_id: z.string().nullable().describe('Once a line is done; it can be read while the batch runs'),
    error_file_id: z.string().nullable().describe('Once a line has failed'),
    created_at: z.int(),
    in_progress_at: moment,
    expires_at: moment,
    finalizing_at: moment,
    completed_at: moment,
    failed_at: moment,
    expired_at: moment,
    cancelling_at: moment,
    cancelled_at: moment,
    request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    metadata: metadata,
    model: z.string().optional().describe('The one that all lines name; absent for several'),
    usage: usage.describe('Tokens of the lines that are done; those that reported none count as 0'),
    estimated_completion_at: moment.describe(
      'When its last line is done if the others take as long as those before; null before there is one, and after the end. Not of OpenAI’s API.',
    ),
    cost: z
      .int()
      .nullable()
      .describe('What its lines cost so far, in 10^-9 of the currency; null without a price. Not of OpenAI’s API.'),
    currency: z.string().describe('Of the cost, as ISO 4217 has it'),
    failures: z
      .array(z.object({ code: z.string(), count: z.int() }))
      .describe('Failed lines by the code of their error, the most frequent first. Not of OpenAI’s API.'),
    warning: z.string().nullable().describe('That its window is too short, as it looks now. Not of OpenAI’s API.'),
  })
  .meta({ id: 'Batch' })

/** The body of a new batch as the OpenAPI document shows it. */
export const batchRequest = z
  .looseObject({
    input_file_id: z.string(),
    endpoint: z.enum(batchEndpoints as [string, ...string[]]),
    completion_window: z.string().describe('24h, or any number of hours from 1h to 720h'),
    metadata: metadata.describe('Up to 16 texts'),
    output_expires_after: z
      .looseObject({ anchor: z.literal('created_at'), seconds: z.int().min(3600).max(2_592_000) })
      .nullish(),
  })
  .meta({ id: 'BatchRequest' })

/** The batch of the moment `now`, with its cost in this currency. */
export function batchOnWire(
  batch: Batch,
  { now, currency }: { readonly now: number; readonly currency: string },
): z.output<typeof batchAnswer> {
  const { status } = batch
  const estimatedAt = estimatedEnd(batch, now)
  const endedAs = (end: Batch['status']): number | null => (status === end ? at(batch.endedAt) : null)
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors:
      batch.errors === null ? null : { object: 'list', data: JSON.parse(batch.errors) as z.output<typeof fault>[] },
    input_file_id: batch.inputFileId,
    completion_window: batch.completionWindow,
    status,
    output_file_id: batch.completed > 0 ? batch.outputFileId : null,
    error_file_id: batch.failed > 0 ? batch.errorFileId : null,
    created_at: secondsOf(batch.createdAt),
    in_progress_at: at(batch.inProgressAt),
    expires_at: at(batch.expiresAt),
    finalizing_at: at(batch.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: at(batch.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    metadata: batch.metadata === null ? null : (JSON.parse(batch.metadata) as Record<string, string>),
    ...(batch.model !== null && { model: batch.model }),
    usage: usageOnWire(batch.usage ?? noUsage),
    estimated_completion_at: at(estimatedAt),
    cost: batch.cost,
    currency,
    failures: Object.entries(batch.failures)
      .map(([code, count]) => ({ code, count }))
      .sort((one, other) => other.count - one.count),
    warning: estimatedAt !== null && estimatedAt > batch.expiresAt ? tooShort : null,
  }
}

const noUsage: BatchUsage = { input: 0, cached: 0, output: 0, reasoning: 0 }

function usageOnWire({ input, cached, output, reasoning }: BatchUsage): z.output<typeof usage> {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

const tooShort = 'At the present pace the window of this batch ends before its last line. What is done by then is kept.'

/** Lines that waited, for a provider that was away for example, count as slow ones. */
function estimatedEnd({ status, total, completed, failed, inProgressAt }: Batch, now: number): number | null {
  const done = completed + failed
  if (status !== 'in_progress' || inProgressAt === null || done === 0) return null
  return inProgressAt + (Math.max(0, now - inProgressAt) / done) * total
}

function at(ms: number | null): number | null {
  return ms === null ? null : secondsOf(ms)
}
