/**
 * The first schema. Never edited once released: a change of the schema is a new file.
 */
import { sql, type Transaction } from 'kysely'
import { everyoneGroupId } from '#identity/records.ts'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates all tables and the group of everyone. */
export async function initial(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  for (const statement of statements(engine)) await sql.raw(statement).execute(trx)
  // Created at time 0, so that it comes first in every list and is the same on every installation.
  await trx
    .insertInto('groups')
    .values({ id: everyoneGroupId, name: 'everyone', description: 'All users.', declared: 0, created_at: 0 })
    .execute()
}

function statements(engine: Engine): readonly string[] {
  return [...identityTables(engine), ...catalogTables(engine), ...modelDetailTables(engine), ...otherTables(engine)]
}

/** What the engines spell differently: 64-bit integers, and SQLite's check that values have the column's type. */
function spelling(engine: Engine): { readonly big: string; readonly serial: string; readonly strict: string } {
  return engine === 'sqlite'
    ? { big: 'integer', serial: 'integer primary key', strict: 'strict' }
    : { big: 'bigint', serial: 'bigint generated always as identity primary key', strict: '' }
}

function identityTables(engine: Engine): readonly string[] {
  const { big, strict } = spelling(engine)
  return [
    `create table users (
      id text primary key,
      email text not null unique,
      name text not null,
      role text not null,
      password_hash text,
      disabled integer not null,
      declared integer not null,
      created_at ${big} not null,
      updated_at ${big} not null
    ) ${strict}`,
    'create index users_created on users (created_at, id)',

    `create table groups (
      id text primary key,
      name text not null unique,
      description text not null,
      declared integer not null,
      created_at ${big} not null
    ) ${strict}`,

    `create table memberships (
      user_id text not null references users (id) on delete cascade,
      group_id text not null references groups (id) on delete cascade,
      primary key (user_id, group_id)
    ) ${strict}`,
    'create index memberships_group on memberships (group_id)',

    `create table api_keys (
      id text primary key,
      public_id text not null unique,
      digest text not null unique,
      name text not null,
      description text not null,
      user_id text not null references users (id) on delete cascade,
      created_at ${big} not null,
      last_used_at ${big},
      expires_at ${big},
      scope_models text,
      scope_areas text
    ) ${strict}`,
    'create index api_keys_created on api_keys (created_at, id)',
    'create index api_keys_user on api_keys (user_id, created_at, id)',

    `create table sessions (
      digest text primary key,
      user_id text not null references users (id) on delete cascade,
      created_at ${big} not null,
      expires_at ${big} not null
    ) ${strict}`,
    'create index sessions_user on sessions (user_id)',
    'create index sessions_expiry on sessions (expires_at)',
  ]
}

function catalogTables(engine: Engine): readonly string[] {
  const { big, strict } = spelling(engine)
  return [
    `create table providers (
      id text primary key,
      name text not null unique,
      kind text not null,
      base_url text not null,
      credential_sealed text,
      headers_sealed text not null,
      timeouts text not null,
      options_sealed text not null,
      reasoning text,
      enabled integer not null,
      declared integer not null,
      created_at ${big} not null
    ) ${strict}`,

    `create table models (
      id text primary key,
      provider_id text references providers (id) on delete restrict,
      upstream_name text,
      strategy text,
      failover text not null,
      rules text not null,
      reasoning text,
      description text not null,
      active integer not null,
      context_length ${big},
      capabilities text not null,
      inflight_limit integer,
      timeouts text not null,
      declared integer not null,
      created_at ${big} not null,
      -- Either a plain model or a composite.
      check ((provider_id is null) = (upstream_name is null) and (provider_id is null) = (strategy is not null))
    ) ${strict}`,
    'create index models_provider on models (provider_id)',
  ]
}

function modelDetailTables(engine: Engine): readonly string[] {
  const { strict } = spelling(engine)
  return [
    `create table model_components (
      model_id text not null references models (id) on delete cascade,
      component_id text not null references models (id) on delete restrict,
      position integer not null,
      weight integer not null,
      priority integer not null,
      enabled integer not null,
      primary key (model_id, component_id)
    ) ${strict}`,
    'create index model_components_component on model_components (component_id)',

    `create table model_names (
      name text primary key,
      model_id text not null references models (id) on delete cascade,
      alias integer not null
    ) ${strict}`,
    'create index model_names_model on model_names (model_id)',
    'create unique index model_names_canonical on model_names (model_id) where alias = 0',

    `create table model_groups (
      model_id text not null references models (id) on delete cascade,
      group_id text not null references groups (id) on delete cascade,
      primary key (model_id, group_id)
    ) ${strict}`,
    'create index model_groups_group on model_groups (group_id)',

    `create table inflight_overrides (
      user_id text not null references users (id) on delete cascade,
      model_id text not null references models (id) on delete cascade,
      inflight_limit integer not null,
      primary key (user_id, model_id)
    ) ${strict}`,
    'create index inflight_overrides_model on inflight_overrides (model_id)',
  ]
}

function otherTables(engine: Engine): readonly string[] {
  const { big, serial, strict } = spelling(engine)
  return [
    // No foreign keys: what was used stays on record when the user, key or model is gone.
    `create table usage_records (
      id ${serial},
      at ${big} not null,
      request_id text not null,
      key_id text,
      user_id text,
      endpoint text not null,
      model_asked text,
      model_id text,
      model_served text,
      provider text,
      upstream_status integer,
      status integer not null,
      code text,
      streamed integer not null,
      prompt_tokens ${big},
      completion_tokens ${big},
      first_token_ms ${big},
      duration_ms ${big} not null,
      request_bytes ${big} not null,
      response_bytes ${big} not null,
      attempts integer not null,
      upstream_model text,
      attempt_reasons text
    ) ${strict}`,
    ...usageIndexes(engine),

    `create table settings (
      name text primary key,
      value text not null,
      updated_at ${big} not null
    ) ${strict}`,
  ]
}

/**
 * SQLite has the one on time alone, to which every row is appended. Each of the others, with a UUID
 * or a name in front, makes a batch change as many pages all over the file as it has keys, users and
 * models: together 15 of 17 µs of CPU a row. Without them a report on one key reads all rows of its
 * period, 0.2 µs each, on a thread that holds nobody up. PostgreSQL is for more rows than that, and
 * changes its pages elsewhere.
 */
function usageIndexes(engine: Engine): readonly string[] {
  const byTime = 'create index usage_records_at on usage_records (at)'
  if (engine === 'sqlite') return [byTime]
  return [
    byTime,
    // One for each way that reports are filtered; all read a range of times.
    'create index usage_records_user on usage_records (user_id, at)',
    'create index usage_records_key on usage_records (key_id, at)',
    'create index usage_records_model on usage_records (model_served, at)',
  ]
}
