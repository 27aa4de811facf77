/** What all processes on the database say about the models that they serve, and how old that is. */
import { z } from '#lib/schema.ts'
import { readStatus, statusOf, type ProcessStatus } from '#gateway/process-status.ts'
import type { Admin } from './admin.ts'

/** Part of the answers that are of all processes. */
export const processesAnswer = z
  .array(
    z
      .strictObject({
        id: z.string().nullable().describe('null: the process that answers'),
        age_ms: z.int().describe('Time since it has said so'),
      })
      .meta({ id: 'ProcessAge' }),
  )
  .describe('Whose figures are in the answer')

export interface AllProcesses {
  readonly statuses: readonly ProcessStatus[]
  readonly processes: z.input<typeof processesAnswer>
}

/** The process that answers as of now, and the others as of their last heartbeats. */
export async function allProcesses(admin: Admin): Promise<AllProcesses> {
  const peers = await admin.feed.peers()
  return {
    statuses: [statusOf(admin), ...peers.map(({ status }) => readStatus(status))],
    processes: [{ id: null, age_ms: 0 }, ...peers.map(({ id, ageMs }) => ({ id, age_ms: ageMs }))],
  }
}
