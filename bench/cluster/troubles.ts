/** What happens to the processes and to their database, one trouble at a time. */
import type { DatabaseLine } from '#test/support/network/database-line.ts'
import { holdTables } from '#test/support/store/hold-tables.ts'
import type { PostgresSchema } from '#test/support/store/postgres-schema.ts'
import { reportOnce } from './clients.ts'
import type { Figures } from './figures.ts'
import type { Fleet } from './fleet.ts'

export interface Scene {
  readonly fleet: Fleet
  readonly schema: PostgresSchema
  /** The way of all processes to the database. */
  readonly line: DatabaseLine
  readonly userKey: string
  readonly figures: Figures
}

const lockSeconds = 25
const outageSeconds = 20
const readers = 40
const readingSeconds = 15
const lockable = ['api_keys', 'users', 'models', 'providers', 'usage_records', 'documents']

type Trouble = (scene: Scene) => Promise<void>

export const troubles: Readonly<Record<string, Trouble>> = {
  async 'abusive readers'({ fleet, userKey, figures }) {
    const [url] = fleet.running
    if (url === undefined) return
    const endsAt = performance.now() + readingSeconds * 1000
    const reading = Array.from({ length: readers }, async () => {
      while (performance.now() < endsAt) await reportOnce(url, userKey, figures)
    })
    await Promise.all(reading)
  },
  async 'locked table'({ schema }) {
    const table = lockable[Math.floor(Math.random() * lockable.length)] ?? 'users'
    await using _held = await holdTables(schema, [table])
    await Bun.sleep(lockSeconds * 1000)
  },
  async outage({ line }) {
    line.silence()
    await Bun.sleep(outageSeconds * 1000)
    line.restore()
  },
  async 'kill -9'({ fleet }) {
    const index = Math.floor(Math.random() * fleet.size)
    await fleet.kill(index)
    await fleet.start(index)
  },
  async 'rolling restart'({ fleet }) {
    await fleet.roll('this')
  },
  async 'rolling upgrade, and back'({ fleet }) {
    await fleet.roll('next')
    await fleet.roll('this')
  },
}
