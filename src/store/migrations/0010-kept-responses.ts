/** Responses and conversations that the gateway keeps itself, sealed, for models whose provider keeps none. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables of kept responses, conversations, their texts, and how much each account has there. */
export async function keptResponses(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // No foreign keys, as in stored_responses: users and models may be gone while a response is written.
    `create table kept_responses (
      id text not null primary key,
      user_id text not null,
      model_id text not null,
      previous_id text,
      status text not null,
      worker_id text,
      lease_until ${big},
      bytes ${big} not null,
      created_at ${big} not null,
      used_at ${big} not null
    ) ${strict}`,
    'create index kept_responses_used on kept_responses (used_at)',
    'create index kept_responses_of_user on kept_responses (user_id, used_at)',
    'create index kept_responses_leased on kept_responses (lease_until) where lease_until is not null',
    // A long text is several pieces, so that no single statement holds its thread up.
    `create table kept_texts (
      owner_id text not null,
      kind text not null,
      position ${big} not null,
      sealed text not null,
      primary key (owner_id, kind, position)
    ) ${strict}`,
    `create table conversations (
      id text not null primary key,
      user_id text not null,
      next_position ${big} not null,
      bytes ${big} not null,
      created_at ${big} not null,
      used_at ${big} not null
    ) ${strict}`,
    'create index conversations_used on conversations (used_at)',
    'create index conversations_of_user on conversations (user_id, used_at)',
    `create table conversation_items (
      conversation_id text not null,
      position ${big} not null,
      item_id text not null,
      bytes ${big} not null,
      primary key (conversation_id, position)
    ) ${strict}`,
    'create unique index conversation_items_by_id on conversation_items (conversation_id, item_id)',
    `create table kept_bytes (
      user_id text not null primary key,
      bytes ${big} not null
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
