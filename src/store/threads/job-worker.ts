/**
 * The other end of job-thread.ts, on the thread. A job that fails is answered with its error; the
 * thread goes on. It ends with the process, or when the main thread ends it.
 */
import type { MessagePort } from 'node:worker_threads'
import { closing, failureOf, type Answer, type Job } from './thread-job.ts'

export interface OpenedJobs {
  readonly jobs: object
  close(): Promise<void>
}

/** Answers jobs in the form in which they come, text or object. `open` is called by the first job that needs it. */
export function serveJobs(port: MessagePort, open: () => OpenedJobs): void {
  let opened: OpenedJobs | null = null
  port.on('message', (message: string | Job) => {
    const job = typeof message === 'string' ? (JSON.parse(message) as Job) : message
    void answer(job).then((reply) => port.postMessage(typeof message === 'string' ? JSON.stringify(reply) : reply))
  })

  async function answer({ name, args }: Job): Promise<Answer> {
    try {
      if (name === closing) {
        await opened?.close()
        opened = null
        return {}
      }
      // Opened by the first job, so that a file that cannot be opened now fails that job and no other.
      opened ??= open()
      const job = Reflect.get(opened.jobs, name) as (...each: readonly unknown[]) => Promise<unknown>
      return { value: await job(...args) }
    } catch (thrown) {
      return { failure: failureOf(thrown) }
    }
  }
}
