/** Where events are sent, the deliveries that wait and those that have ended, and what was told once. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. Processes of the version before write no events. */
export async function webhooks(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    `create table webhook_endpoints (
      id text not null primary key,
      url text not null,
      description text not null,
      types text not null,
      user_id text,
      secret text not null,
      former_secret text,
      former_until ${big},
      failing_since ${big},
      disabled_at ${big},
      disabled_reason text,
      dropped ${big} not null,
      created_at ${big} not null
    ) ${strict}`,
    // No foreign key: an event is written without a lock on its endpoint.
    `create table webhook_deliveries (
      id text not null primary key,
      endpoint_id text not null,
      event_id text not null,
      type text not null,
      payload text not null,
      state text not null,
      attempts integer not null,
      fence ${big} not null,
      worker text,
      available_at ${big} not null,
      created_at ${big} not null,
      begun_at ${big} not null,
      ended_at ${big},
      status integer,
      error text,
      duration_ms ${big}
    ) ${strict}`,
    'create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, available_at) where ended_at is null',
    'create index webhook_deliveries_log on webhook_deliveries (endpoint_id, created_at, id)',
    'create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null',
    `create table webhook_told (
      subject text not null primary key,
      at ${big} not null
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
