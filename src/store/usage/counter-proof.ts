/** Whether the counters of budgets say what the usage records say. */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import type { UsageWork } from './usage.ts'

/** Counters that are named. There are as many as budgets have had days. */
const wrongMax = 1000

/** Recomputes all counters in one statement, so that both sides are of one moment. */
export function counterProof({ kysely, engine }: Connection): Pick<UsageWork, 'proveCounters'> {
  const names =
    engine === 'postgres'
      ? sql`cross join lateral jsonb_array_elements_text(u.counters::jsonb) as e(value)`
      : sql`join json_each(u.counters) as e`
  return {
    async proveCounters(retainedFrom) {
      const { rows } = await sql<{ readonly id: string | null; readonly spent: number; readonly recomputed: number }>`
        with recorded as (
          select e.value as counter, sum(u.cost) as cost from usage_records u ${names}
          where u.counters is not null and u.at >= ${retainedFrom} group by e.value
        ), summed as (
          select counter, sum(spent) as spent from budget_days where day < ${retainedFrom} group by counter
        ), compared as materialized (
          select c.id, c.spent, cast(coalesce(r.cost, 0) + coalesce(d.spent, 0) as bigint) as recomputed
          from budget_counters c left join recorded r on r.counter = c.id left join summed d on d.counter = c.id
        )
        select null as id, count(*) as spent, cast(coalesce(sum(abs(spent - recomputed)), 0) as bigint) as recomputed
        from compared
        union all select * from (
          select id, spent, recomputed from compared where spent <> recomputed order by id limit ${wrongMax}
        ) as wrong`.execute(kysely)
      const [all] = rows.filter(({ id }) => id === null)
      const wrong = rows.flatMap(({ id, ...sums }) => (id === null ? [] : [{ id, ...sums }]))
      return { counters: all?.spent ?? 0, difference: all?.recomputed ?? 0, wrong }
    },
  }
}
