/** A PostgreSQL schema of a test's own, made at once and dropped with everything in it. */
import { Client } from 'pg'

export interface PostgresSchema {
  /** Connects to the same database, with this schema as the only place for tables. */
  readonly url: string
  /** Runs SQL outside of the store. */
  run(text: string): Promise<readonly Record<string, unknown>[]>
  drop(): Promise<void>
}

export async function makePostgresSchema(serverUrl: string): Promise<PostgresSchema> {
  const name = `sluice_test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`create schema ${name}`)
  await client.query(`set search_path = ${name}`)
  const url = new URL(serverUrl)
  url.searchParams.set('options', `-c search_path=${name}`)
  return {
    // pg reads %20 in this parameter and would keep a plus sign.
    url: url.href.replaceAll('+', '%20'),
    async run(text) {
      const { rows } = await client.query<Record<string, unknown>>(text)
      return rows
    },
    async drop() {
      await client.query(`drop schema ${name} cascade`)
      await client.end()
    },
  }
}
