/** What one user, group or key used in the last 30 days: figures, days, and models. On the pages of each. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { Chart } from '../../components/chart.tsx'
import type { ChosenRange } from '../../components/chart-props.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { compactText, percentText, wholeText } from '../../components/format.ts'
import { compactMoneyText, moneyText } from '../../components/money.ts'
import { Panel } from '../../components/panel.tsx'
import { Progress } from '../../components/progress.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ChartGrid, Tile, Tiles } from '../../components/tile.tsx'
import panelStyles from '../overview/panels.module.css'
import { customRange } from '../time-range.ts'
import { groupSums } from './usage-groups.ts'

const dayMs = 86_400_000
const daysShown = 30
const modelsShown = 6

export interface UsageSubject {
  readonly kind: 'user' | 'group'
  readonly id: string
}

function recentUsageQuery({ kind, id }: UsageSubject) {
  return queryOptions({
    queryKey: [...resource.usage, 'recent', kind, id],
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const from = to - (to % dayMs) - (daysShown - 1) * dayMs
      const query = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        ...(kind === 'user' ? { user_id: id } : { group_id: id }),
      }
      const [totals, days, models] = await Promise.all([
        api('GET /admin/api/v1/usage', { query, signal }),
        api('GET /admin/api/v1/usage/series', { query: { ...query, bucket: 'day' }, signal }),
        api('GET /admin/api/v1/usage/series', {
          query: { ...query, bucket: 'day', group_by: 'model', top: modelsShown },
          signal,
        }),
      ])
      return { from, totals, days: days.data, models: groupSums(models.data) }
    },
  })
}

export function RecentUsage({ subject }: { readonly subject: UsageSubject }) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(recentUsageQuery(subject))
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={6} label="Loading usage" />
  const { from, totals, days, models } = data
  const at = new Map(days.map((day) => [Date.parse(day.at), day]))
  const points = Array.from({ length: daysShown }, (_, index) => from + index * dayMs)
  const most = Math.max(1, ...models.map(({ requests }) => requests))
  const shared = {
    kind: 'bar' as const,
    formatTime: (time: number) => dayFormat.format(new Date(time)),
    // The list of requests has no filter by group.
    ...(subject.kind === 'user' && {
      onChoose: (range: ChosenRange) =>
        void navigate({ to: '/requests', search: { user: subject.id, ...customRange(range.from, range.to) } }),
    }),
  }
  return (
    <>
      <Tiles>
        <Tile name={<RequestsLink {...subject} />} value={wholeText(totals.requests)} note="in 30 days" />
        <Tile
          name="Errors"
          value={wholeText(totals.errors)}
          note={totals.requests === 0 ? '–' : percentText(totals.errors / totals.requests)}
        />
        <Tile
          name="Tokens"
          value={compactText(totals.prompt_tokens + totals.completion_tokens)}
          note={`${compactText(totals.prompt_tokens)} in, ${compactText(totals.completion_tokens)} out`}
        />
        <Tile name="Cost" value={moneyText(totals.cost, totals.currency)} note="as far as prices are known" />
      </Tiles>
      {totals.requests > 0 && (
        <ChartGrid>
          <Chart
            {...shared}
            title="Requests"
            series={[
              { name: 'answered', tone: 'accent' },
              { name: 'errors', tone: 'danger' },
            ]}
            points={points.map((time) => {
              const { requests = 0, errors = 0 } = at.get(time) ?? {}
              return { at: time, values: [requests - errors, errors] }
            })}
            formatValue={compactText}
          />
          {totals.cost > 0 && (
            <Chart
              {...shared}
              title="Cost"
              series={[{ name: 'cost', tone: 'accent' }]}
              points={points.map((time) => ({ at: time, values: [at.get(time)?.cost ?? 0] }))}
              formatValue={(value) => compactMoneyText(value, totals.currency)}
            />
          )}
          <Panel title="Models">
            <ol className={panelStyles.list}>
              {models.map(({ group, requests, cost }) => (
                <li key={group} className={panelStyles.item}>
                  <span className={panelStyles.line}>
                    <span className={panelStyles.name}>{group ?? 'unknown'}</span>
                    <span className={panelStyles.figure}>
                      {compactText(requests)}
                      {cost > 0 && ` · ${moneyText(cost, totals.currency)}`}
                    </span>
                  </span>
                  <Progress label={`Share of ${group ?? 'unknown'}`} value={requests / most} />
                </li>
              ))}
            </ol>
          </Panel>
        </ChartGrid>
      )}
    </>
  )
}

function RequestsLink({ kind, id }: UsageSubject) {
  // The list of requests has no filter by group.
  if (kind === 'group') return <>Requests</>
  return (
    <Link to="/requests" search={{ user: id, span: 'month' }}>
      Requests
    </Link>
  )
}

const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
