/** The figures of a time range: its cost, this month against the last, and the cost of each group. */
import { useQuery } from '@tanstack/react-query'
import type { UsageScope } from '../../api/queries.ts'
import { Chart } from '../../components/chart.tsx'
import type { ChartSeries, ChosenRange } from '../../components/chart-props.ts'
import { wholeText } from '../../components/format.ts'
import { compactMoneyText, moneyText } from '../../components/money.ts'
import { ChartGrid, Tile, Tiles } from '../../components/tile.tsx'
import { bucketText, type RangeSearch } from '../time-range.ts'
import { useGroupNames } from '../usage/group-name.tsx'
import { topGroups, type GroupedUsage } from '../usage/queries.ts'
import { groupSums, stackedPoints } from '../usage/usage-groups.ts'
import styles from './cost-page.module.css'
import { CostTable } from './cost-table.tsx'
import { changeText } from './months.ts'
import { costBeforeQuery, monthsQuery } from './queries.ts'

const tones = ['accent', 'second', 'third', 'fourth', 'fifth'] as const

export interface CostReportProps {
  readonly usage: GroupedUsage
  readonly range: RangeSearch
  readonly scope: UsageScope
  readonly onOpen: (group: string) => void
  readonly onRange: (range: ChosenRange) => void
}

export function CostReport({ usage, range, scope, onOpen, onRange }: CostReportProps) {
  const { totals, by } = usage
  const { cost, requests, currency } = totals
  const { data: before = null } = useQuery(costBeforeQuery(scope, range, usage))
  const groups = groupSums(usage.points, 'cost')
  return (
    <>
      <Tiles>
        <Tile
          name="Cost"
          value={moneyText(cost, currency)}
          note={before === null ? '…' : `${before.name}: ${moneyText(before.cost, currency)}`}
        />
        <MonthTile scope={scope} currency={currency} />
        <Tile
          name="Cost of a request"
          value={moneyText(Math.round(cost / requests), currency)}
          note={`on average, of ${wholeText(requests)}`}
        />
        <Tile
          name="Tokens"
          value={wholeText(totals.prompt_tokens + totals.completion_tokens)}
          note={`${wholeText(totals.cached_tokens)} read from a cache`}
        />
      </Tiles>
      <ChartGrid>
        <CostChart usage={usage} scope={scope} groups={groups.map(({ group }) => group)} onRange={onRange} />
        <MonthChart scope={scope} currency={currency} />
      </ChartGrid>
      <CostTable
        groups={groups}
        all={by === 'group' ? groups.reduce((sum, each) => sum + each.cost, 0) : cost}
        currency={currency}
        before={before}
        by={by}
        scope={scope}
        onOpen={onOpen}
      />
      {by === 'group' && <p className={styles.note}>A request counts in each group of its user.</p>}
      {usage.others.length > 0 && (
        <p className={styles.note}>These are the {topGroups} that cost the most. The CSV file has all.</p>
      )}
    </>
  )
}

interface ScopeProps {
  readonly scope: UsageScope
  readonly currency: string
}

function MonthTile({ scope, currency }: ScopeProps) {
  const { data: months } = useQuery(monthsQuery(scope))
  if (months === undefined) return <Tile name="This month so far" value="…" />
  const { thisMonth, lastMonthByNow } = months
  const change = changeText(thisMonth, lastMonthByNow)
  return (
    <Tile
      name="This month so far"
      value={moneyText(thisMonth, currency)}
      note={change === null ? 'nothing by this day of last month' : `${change} than last month by this day`}
    />
  )
}

interface CostChartProps {
  readonly usage: GroupedUsage
  readonly scope: UsageScope
  readonly groups: readonly (string | null)[]
  readonly onRange: (range: ChosenRange) => void
}

function CostChart({ usage, scope, groups, onRange }: CostChartProps) {
  const { by, bucket, from, to, points, others, totals } = usage
  const shown = groups.slice(0, tones.length)
  const names = useGroupNames({ by, scope }, shown)
  const series: readonly ChartSeries[] = [
    ...shown.map((_, index) => ({ name: names[index] ?? '…', tone: tones[index] ?? ('muted' as const) })),
    ...(groups.length > shown.length || others.length > 0 ? [{ name: 'all others', tone: 'muted' as const }] : []),
  ]
  return (
    <Chart
      kind="bar"
      title="Cost"
      series={series}
      points={stackedPoints({ points, others, shown, from, to, bucketMs: bucket.ms, valueOf: ({ cost }) => cost })}
      formatValue={(nano) => compactMoneyText(nano, totals.currency)}
      formatTime={(at) => bucketText(at, bucket)}
      onChoose={onRange}
    />
  )
}

function MonthChart({ scope, currency }: ScopeProps) {
  const { data: months } = useQuery(monthsQuery(scope))
  return (
    <Chart
      kind="line"
      title="Month against month"
      series={[
        { name: 'this month', tone: 'accent' },
        { name: 'last month', tone: 'muted' },
      ]}
      points={(months?.days ?? []).map(({ day, thisMonth, lastMonth }) => ({
        at: day,
        values: [thisMonth, lastMonth],
      }))}
      formatValue={(nano) => compactMoneyText(nano, currency)}
      formatTime={(day) => `day ${day}`}
    />
  )
}
