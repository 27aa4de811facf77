/** Batches of usage records as the recorder makes them, read back. */
import { cellsOfLine, usageColumns, usageOf, type UsageRecord } from '#store/usage/usage-record.ts'
import type { UsageBatch } from '#store/usage/usage.ts'

/** The records of a batch, in their order. */
export function recordsOf({ text }: Pick<UsageBatch, 'text'>): UsageRecord[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const cells = Object.fromEntries(cellsOfLine(line).map((cell, at) => [usageColumns[at], cell]))
      const { id: _id, ...record } = usageOf({ id: 0, ...cells } as never)
      return record
    })
}
