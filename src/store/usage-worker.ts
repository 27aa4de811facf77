/**
 * The thread that works on the usage records of an SQLite file, with a connection of its own. The
 * main thread starts it with the path of the file as its data and sends one job at a time.
 *
 * A job that fails is answered with its error; the thread goes on. It ends with the process, or when
 * the main thread ends it.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { backup } from './backup.ts'
import { openSqliteBeside } from './engines/sqlite.ts'
import { failureOf, type UsageAnswer, type UsageJob, type UsageJobs } from './usage-job.ts'
import { usageRows } from './usage-rows.ts'

function serve(port: MessagePort, file: string): void {
  let opened: Opened | null = null
  port.on('message', (text: string) => {
    void answer(JSON.parse(text) as UsageJob).then((reply) => port.postMessage(JSON.stringify(reply)))
  })

  async function answer({ name, args }: UsageJob): Promise<UsageAnswer> {
    try {
      if (name === 'close') {
        await opened?.jobs.close()
        opened = null
        return {}
      }
      // Opened by the first job, so that a file that cannot be opened now fails that job and no other.
      opened ??= open(file)
      const job = opened.jobs[name] as (...args: readonly unknown[]) => Promise<unknown>
      return { value: await job(...args) }
    } catch (thrown) {
      return { failure: failureOf(thrown) }
    }
  }
}

interface Opened {
  readonly jobs: UsageJobs
}

function open(file: string): Opened {
  const connection = openSqliteBeside(file)
  const database = { engine: 'sqlite', kysely: connection.kysely } as const
  return {
    jobs: {
      ...usageRows(database),
      backup: (copy) => backup(database, copy),
      close: () => connection.close(),
    },
  }
}

if (parentPort !== null) serve(parentPort, String(workerData))
