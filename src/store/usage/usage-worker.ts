/**
 * The thread that works on the usage records of an SQLite file, with a connection of its own. The
 * main thread starts it with the path of the file as its data.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { backup } from '../backup.ts'
import { openSqliteBeside } from '../engines/sqlite.ts'
import { serveJobs, type OpenedJobs } from '../threads/job-worker.ts'
import type { UsageJobs } from './usage-job.ts'
import { usageRows } from './usage-rows.ts'

function open(file: string): OpenedJobs {
  const connection = openSqliteBeside(file, 'normal')
  const database = { engine: 'sqlite', kysely: connection.kysely } as const
  const jobs: UsageJobs = { ...usageRows(database), backup: (copy) => backup(database, copy) }
  return { jobs, close: () => connection.close() }
}

if (parentPort !== null) serveJobs(parentPort, () => open(String(workerData)))
