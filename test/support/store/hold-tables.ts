/** Locks tables of a schema so that nobody else reads or writes them, as an `alter table` or a `vacuum full` does. */
import { Client } from 'pg'
import type { PostgresSchema } from './postgres-schema.ts'

export interface HeldTables extends AsyncDisposable {
  /** Statements that wait for these tables now. */
  waiting(): Promise<number>
  /** Runs SQL inside of the transaction that holds the tables. */
  run(text: string): Promise<void>
  /** Commits and gives the tables back. Calling it again does nothing. */
  release(): Promise<void>
}

/** Resolves when the tables are held. */
export async function holdTables(schema: PostgresSchema, tables: readonly string[]): Promise<HeldTables> {
  const client = new Client({ connectionString: schema.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = Number(rows[0]?.pid)
  await client.query('begin')
  for (const table of tables) await client.query(`lock table ${table} in access exclusive mode`)
  let releasing: Promise<void> | undefined
  const release = (): Promise<void> => (releasing ??= client.query('commit').then(() => client.end()))
  return {
    async waiting() {
      const [row] = await schema.run(
        `select count(*)::int as count from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`,
      )
      return Number(row?.['count'])
    },
    run: async (text) => void (await client.query(text)),
    release,
    [Symbol.asyncDispose]: release,
  }
}
