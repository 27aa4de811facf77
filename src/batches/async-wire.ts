/** An async request on the wire: a call of a model that its client does not wait for. The form is this server's own. */
import { z } from '#lib/schema.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import { secondsOf } from './files/files.ts'
import { batchEndpoints } from './lines/line-calls.ts'

const moment = z.int().nullable().describe('Seconds since 1970')

export const asyncAnswer = z
  .object({
    id: z.string(),
    object: z.literal('async_request'),
    status: z
      .enum(['queued', 'in_progress', 'completed', 'failed', 'cancelling', 'cancelled', 'expired'])
      .describe('failed: the answer is an error'),
    endpoint: z.enum(batchEndpoints as [string, ...string[]]),
    response_url: z.string().describe('Where the answer will be'),
    created_at: z.int().describe('Seconds since 1970'),
    in_progress_at: moment,
    ended_at: moment,
    expires_at: z.int().describe('When it is given up if it has no answer by then'),
  })
  .meta({ id: 'AsyncRequest' })

export const asyncListAnswer = z.object({
  object: z.literal('list'),
  data: z.array(asyncAnswer),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

/** Where an async request is. */
export function asyncPath(id: string): string {
  return `/ai/v1/async/${id}`
}

/** The request of this moment. */
export function asyncOnWire(batch: Batch): z.output<typeof asyncAnswer> {
  const orNull = (ms: number | null): number | null => (ms === null ? null : secondsOf(ms))
  return {
    id: batch.id,
    object: 'async_request',
    status: statusOf(batch),
    endpoint: batch.endpoint,
    response_url: `${asyncPath(batch.id)}/response`,
    created_at: secondsOf(batch.createdAt),
    in_progress_at: orNull(batch.inProgressAt),
    ended_at: orNull(batch.endedAt),
    expires_at: secondsOf(batch.expiresAt),
  }
}

function statusOf({ status, failed, outcome }: Batch): z.output<typeof asyncAnswer>['status'] {
  switch (status) {
    case 'validating':
      return 'queued'
    // What is answered may still have to become a file.
    case 'finalizing':
      return outcome === 'cancelled' ? 'cancelling' : 'in_progress'
    case 'completed':
      return failed > 0 ? 'failed' : 'completed'
    default:
      return status
  }
}
