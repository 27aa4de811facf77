/**
 * A thread for usage that dies in the middle of its first job, with a transaction open and a row in
 * it: by an exit, or by an error when the file `<database>.throw` exists. Started again on the same
 * database it is the real one.
 */
import { Database } from 'bun:sqlite'
import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

const file = String(workerData)

if (existsSync(`${file}.died`)) {
  await import('#store/usage/usage-worker.ts')
} else {
  parentPort?.on('message', () => {
    writeFileSync(`${file}.died`, '')
    const database = new Database(file)
    database.run('begin immediate')
    database.run("insert into settings values ('half a batch', '1', 1)")
    if (existsSync(`${file}.throw`)) throw new Error('This thread dies of an error.')
    process.exit(9)
  })
}
