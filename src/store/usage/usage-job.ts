/** What the thread of usage-worker.ts can be asked to do; one job at a time. */
import type { UsageWork } from './usage.ts'

export interface UsageJobs extends UsageWork {
  /** As `backup` of backup.ts. */
  backup(file: string): Promise<void>
}
