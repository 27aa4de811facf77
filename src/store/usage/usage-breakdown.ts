/** Sums of a span for each user, key, model and provider that occur together, in pages: for exports. */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import { summandNames } from './usage-sums.ts'
import type { UsageWork } from './usage.ts'

/** Breakdowns from this database. */
export function usageBreakdown({ kysely }: Connection): Pick<UsageWork, 'breakdownOfHours'> {
  const totals = sql.join(summandNames.map((name) => sql`cast(sum(h.${sql.ref(name)}) as bigint) as ${sql.ref(name)}`))
  return {
    async breakdownOfHours({ from, to, after, limit }) {
      const { rows } = await sql<
        { series: number; user_id: string; key_id: string; model: string; provider: string } & Readonly<
          Record<(typeof summandNames)[number], number>
        >
      >`
        select h.series, s.user_id, s.key_id, s.model, s.provider, ${totals}
        from usage_hours h join usage_series s on s.row = h.series
        where h.at >= ${from} and h.at < ${to} and h.series > ${after}
        group by h.series, s.user_id, s.key_id, s.model, s.provider order by h.series limit ${limit}`.execute(kysely)
      return rows.map(({ series, user_id: userId, key_id: keyId, model, provider, ...sums }) => ({
        series,
        userId,
        keyId,
        model,
        provider,
        sums,
      }))
    },
  }
}
