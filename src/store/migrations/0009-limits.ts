/**
 * What several processes on one PostgreSQL need to keep limits together: the members of the ledger of limits
 * (src/limits/roster.ts), its shared place, and failed sign-ins. An SQLite file is served by one process,
 * which keeps all of it in memory.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/**
 * The same as `applyClaims` in src/limits/place.ts. In the database, because it holds the place: a client that is
 * slow between two statements would keep all others waiting.
 */
const exchangeFunction = `
  create function limit_exchange(place_token text, members jsonb, self integer, batch bigint, claims jsonb)
  returns jsonb language plpgsql as $$
  declare
    claim jsonb;
    own text;
    others bigint;
    granted bigint;
    grants jsonb := '[]';
  begin
    perform from limit_place where token = place_token for update;
    if not found then return null; end if;
    insert into limit_place_batches (member, seq) values (members ->> self, batch)
      on conflict (member) do update set seq = excluded.seq where limit_place_batches.seq < excluded.seq;
    if not found then return null; end if;
    for claim in select value from jsonb_array_elements(claims) loop
      select coalesce(sum(coalesce(amount, (claim -> 'shares' ->> (each.place - 1)::integer)::bigint)), 0) into others
        from jsonb_array_elements_text(members) with ordinality as each (name, place)
        left join limit_place_claims on row_key = (claim ->> 'key') || E'\\n' || each.name
        where each.place - 1 <> self;
      granted := greatest(0, least((claim ->> 'want')::bigint,
        (claim ->> 'limit')::bigint - others - (claim ->> 'have')::bigint));
      own := (claim ->> 'key') || E'\\n' || (members ->> self);
      if (claim ->> 'have')::bigint + granted = (claim -> 'shares' ->> self)::bigint then
        delete from limit_place_claims where row_key = own;
      else
        insert into limit_place_claims (row_key, amount) values (own, (claim ->> 'have')::bigint + granted)
          on conflict (row_key) do update set amount = excluded.amount;
      end if;
      grants := grants || to_jsonb(granted);
    end loop;
    return grants;
  end $$`

const statements = [
  `create table limit_roster (
    id integer primary key check (id = 1),
    installation text not null,
    epoch bigint not null,
    members text not null,
    token text
  )`,
  "insert into limit_roster (id, installation, epoch, members) values (1, gen_random_uuid()::text, 0, '[]')",
  `create table limit_members (
    name text primary key,
    replica_id text not null,
    epoch bigint not null,
    excesses text not null
  )`,
  // Unlogged: what a crash of the server empties has lost its token, too, and is not trusted any more.
  'create unlogged table limit_place (id integer primary key check (id = 1), epoch bigint not null, token text not null)',
  'create unlogged table limit_place_batches (member text primary key, seq bigint not null)',
  `create unlogged table limit_place_claims (
    row_key text primary key,
    amount bigint not null
  )`,
  exchangeFunction,
  `create table sign_in_counts (
    key text primary key,
    failures integer not null,
    locked_until double precision not null,
    has_waited smallint not null
  )`,
  'create index sign_in_counts_by_age on sign_in_counts (locked_until)',
]

/** Creates the tables on PostgreSQL. */
export async function limits(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
