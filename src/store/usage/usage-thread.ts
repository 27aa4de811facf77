/** The thread that works on the usage records of an SQLite file (usage-worker.ts). */
import { ownScript } from '#lib/own-scripts.ts'
import { JobThread } from '../threads/job-thread.ts'
import type { UsageJobs } from './usage-job.ts'
import type { UsageWork } from './usage.ts'

export interface UsageThreadOptions {
  /** Path of an SQLite file that this process has open. */
  readonly file: string
  /** Whether the thread stays for the next job or gives its memory back. */
  readonly whenIdle: 'keep' | 'end'
  /** What runs on the thread: usage-worker.ts when absent. */
  readonly script?: URL
}

export class UsageThread extends JobThread<UsageJobs> {
  constructor({ file, whenIdle, script = ownScript('store/usage/usage-worker.ts') }: UsageThreadOptions) {
    // Rows come first: their queue is bounded, and no number of reports may make it overflow.
    super({ script, data: file, whenIdle, form: 'text', urgent: 'write' })
  }
}

/** Work on usage records, done by this thread. */
export function usageOn(thread: UsageThread): UsageWork {
  return thread.jobs([
    'write',
    'forget',
    'totals',
    'series',
    'latency',
    'list',
    'find',
    'proveCounters',
    'breakdownOfHours',
    'recomputeSome',
    'purgeSome',
    'sumSome',
    'prepare',
  ])
}
