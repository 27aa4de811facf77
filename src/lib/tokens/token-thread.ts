/** The thread that encodes. Lanes take turns, one window each, so that a long text does not hold up others. */
import { parentPort } from 'node:worker_threads'
import { stepsOf } from './encode.ts'
import type { TokenAnswer, TokenJob, TokenResult } from './token-job.ts'

interface Running {
  readonly id: number
  readonly steps: Generator<void, TokenResult>
}

const lanes = new Map<string, Running[]>()
let working = false

parentPort?.on('message', ({ id, lane, work }: TokenJob) => {
  const jobs = lanes.get(lane) ?? []
  lanes.set(lane, jobs)
  jobs.push({ id, steps: stepsOf(work) })
  if (!working) void turns()
})

async function turns(): Promise<void> {
  working = true
  while (lanes.size > 0) {
    for (const [lane, jobs] of lanes) {
      const [job] = jobs
      if (job !== undefined && step(job)) jobs.shift()
      if (jobs.length === 0) lanes.delete(lane)
    }
    // Lets messages in.
    await new Promise((resolve) => setImmediate(resolve))
  }
  working = false
}

/** Whether the job is done, and answered. */
function step({ id, steps }: Running): boolean {
  try {
    const { done, value } = steps.next()
    if (done === true) answer({ id, result: value })
    return done === true
  } catch (thrown) {
    answer({ id, failure: String(thrown) })
    return true
  }
}

function answer(said: TokenAnswer): void {
  parentPort?.postMessage(said)
}
