/** Prices, budgets, and what usage records hold for them. Amounts are 10^-9 of the currency. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the tables, and the columns by which a record can be priced again and counted in budgets. */
export async function money(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const big = engine === 'postgres' ? 'bigint' : 'integer'
  const strict = engine === 'postgres' ? '' : 'strict'
  for (const statement of [...priceTables(big, strict), ...budgetTables(big, strict), ...usageColumns()]) {
    await sql.raw(statement).execute(trx)
  }
}

/** No reference to models: a price is kept for the records that name it. */
function priceTables(big: string, strict: string): readonly string[] {
  return [
    `create table prices (
      id text primary key,
      model_id text not null,
      source text not null,
      upstream text,
      valid_from ${big} not null,
      rates text not null,
      tiers text not null,
      note text not null,
      created_at ${big} not null,
      replaced_at ${big}
    ) ${strict}`,
    'create index prices_model on prices (model_id, valid_from)',
  ]
}

function budgetTables(big: string, strict: string): readonly string[] {
  return [
    `create table budgets (
      id text primary key,
      scope text not null,
      scope_id text not null,
      period text not null,
      time_zone text not null,
      amount ${big} not null,
      hard integer not null,
      thresholds text not null,
      declared integer not null,
      created_at ${big} not null,
      unique (scope, scope_id, period)
    ) ${strict}`,
    // A counter is a budget in one window, and a slice what one process holds of it: see src/budgets.
    `create table budget_counters (
      id text primary key,
      budget_id text not null,
      starts_at ${big} not null,
      spent ${big} not null,
      notified integer not null,
      wanted_at ${big} not null
    ) ${strict}`,
    'create index budget_counters_budget on budget_counters (budget_id, starts_at)',
    `create table budget_days (
      counter text not null,
      day ${big} not null,
      spent ${big} not null,
      primary key (counter, day)
    ) ${strict}`,
    `create table budget_holders (
      id text primary key,
      seen_at ${big} not null
    ) ${strict}`,
    `create table budget_slices (
      id text primary key,
      counter text not null,
      holder text not null,
      held ${big} not null,
      sequence integer not null,
      granted ${big} not null
    ) ${strict}`,
    'create index budget_slices_counter on budget_slices (counter)',
    'create index budget_slices_holder on budget_slices (holder)',
  ]
}

/** What a record used beside its tokens, the counters that it counts in, and the slices that it was paid from: JSON. */
function usageColumns(): readonly string[] {
  return ['units', 'counters', 'slices'].map((name) => `alter table usage_records add column ${name} text`)
}
