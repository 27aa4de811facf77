/** A batch as Anthropic's API writes it: its Message Batches. */
import { z } from '#lib/schema.ts'
import type { Batch } from '#store/batches/batch-row.ts'

const moment = z.iso.datetime().nullable()

export const messageBatchAnswer = z
  .object({
    id: z.string(),
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z.object({
      processing: z.int(),
      succeeded: z.int(),
      errored: z.int(),
      canceled: z.int(),
      expired: z.int(),
    }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    ended_at: moment,
    cancel_initiated_at: moment,
    archived_at: moment,
    results_url: z.string().nullable().describe('Once the batch has ended'),
  })
  .meta({ id: 'MessageBatch' })

export const messageBatchesAnswer = z.object({
  data: z.array(messageBatchAnswer),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const deletedMessageBatch = z.object({ id: z.string(), type: z.literal('message_batch_deleted') })

/** The body of a new batch as the OpenAPI document shows it. */
export const messageBatchRequest = z
  .looseObject({
    requests: z.array(
      z.looseObject({ custom_id: z.string(), params: z.looseObject({}).describe('A request to /messages') }),
    ),
  })
  .meta({ id: 'MessageBatchRequest' })

/** The batch of this moment. @param origin of the address under which the client reaches this server */
export function messageBatchOnWire(batch: Batch, origin: string): z.output<typeof messageBatchAnswer> {
  const { completed, failed, undone, total, outcome } = batch
  const running = batch.status === 'cancelling' ? 'canceling' : 'in_progress'
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: batch.endedAt === null ? running : 'ended',
    request_counts: {
      processing: total - completed - failed,
      succeeded: completed,
      errored: failed - undone,
      canceled: outcome === 'cancelled' ? undone : 0,
      expired: outcome === 'expired' ? undone : 0,
    },
    created_at: timeOf(batch.createdAt),
    expires_at: timeOf(batch.expiresAt),
    ended_at: timeOrNull(batch.endedAt),
    cancel_initiated_at: timeOrNull(batch.cancellingAt),
    archived_at: null,
    results_url: batch.endedAt === null ? null : `${origin}/ai/v1/messages/batches/${batch.id}/results`,
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms)
}
