/** The thread that prepares content for its log: prepare-content.ts, one body at a time. */
import { parentPort } from 'node:worker_threads'
import { serveJobs } from '#store/threads/job-worker.ts'
import { preparing, type PreparedContent, type PreparingRules, type RawContent } from './prepare-content.ts'

/** What the thread can be asked to do. */
export interface ContentJobs {
  prepare(raw: RawContent, rules: PreparingRules): Promise<PreparedContent>
}

/** Compiled patterns are used again as long as the settings stay. */
let last: { readonly key: string; readonly prepare: ReturnType<typeof preparing> } | null = null

const jobs: ContentJobs = {
  prepare(raw, rules) {
    const key = JSON.stringify(rules)
    if (last?.key !== key) last = { key, prepare: preparing(rules) }
    return Promise.resolve(last.prepare(raw))
  },
}

if (parentPort !== null) serveJobs(parentPort, () => ({ jobs, close: () => Promise.resolve() }))
