/** Whether the counters of budgets say what the usage records say. */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import type { CounterProof, UsageWork } from './usage.ts'

/** Recomputes all counters in one statement, so that both sides are of one moment. */
export function counterProof({ kysely, engine }: Connection): Pick<UsageWork, 'proveCounters'> {
  const names =
    engine === 'postgres'
      ? sql`cross join lateral jsonb_array_elements_text(u.counters::jsonb) as e(value)`
      : sql`join json_each(u.counters) as e`
  return {
    async proveCounters(retainedFrom) {
      const { rows } = await sql<CounterProof>`
        with recorded as (
          select e.value as counter, sum(u.cost) as cost from usage_records u ${names}
          where u.counters is not null and u.at >= ${retainedFrom} group by e.value
        ), summed as (
          select counter, sum(spent) as spent from budget_days where day < ${retainedFrom} group by counter
        )
        select c.id, c.spent, cast(coalesce(r.cost, 0) + coalesce(d.spent, 0) as bigint) as recomputed
        from budget_counters c left join recorded r on r.counter = c.id left join summed d on d.counter = c.id
        order by c.id`.execute(kysely)
      return rows
    },
  }
}
