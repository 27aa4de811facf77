/** A process with a pool whose reading process is busy for ever; prints the id of that process. For tests that kill the owner. */
import { ReadingPool } from '#documents/reading/reading-pool.ts'
import { unrulyScript, unrulyWork } from './unruly-reading.ts'

const pool = new ReadingPool({ size: 1, timeMaxMs: 600_000, memoryBytesMax: 1e9, script: unrulyScript })
const done = pool.run('read', unrulyWork('gentle'))
await done
void pool.run('read', unrulyWork(process.argv[2] ?? 'loop'))
process.stdout.write(`${pool.pids.join(' ')}\n`)
