/** The CSV file of users: all that the filters leave, with the names of their groups and their last 30 days. */
import { api } from '../../api/client.ts'
import { allItems, pagesOf } from '../../api/queries.ts'
import { amountText } from '../../components/money.ts'
import { csvText, type Cell } from '../usage/csv.ts'
import { downloadCsv } from '../usage/download-csv.ts'
import type { UserFilter } from './queries.ts'

const head = [
  'email',
  'name',
  'kind',
  'role',
  'state',
  'groups',
  'created_at',
  'last_seen_at',
  'requests_30_days',
  'tokens_30_days',
  'cost_30_days',
  'currency',
]
/** As many as one request for what they used may name. */
const activityMax = 100

/** Reads all pages, and gives the file to the browser. */
export async function downloadUsers(filter: UserFilter): Promise<void> {
  const groups = await allItems((query) => api('GET /admin/api/v1/groups', { query }))
  const nameOf = new Map(groups.map(({ id, name }) => [id, name]))
  const rows: Cell[][] = []
  for await (const page of pagesOf((query) => api('GET /admin/api/v1/users', { query: { ...filter, ...query } }))) {
    for (let first = 0; first < page.length; first += activityMax) {
      const some = page.slice(first, first + activityMax)
      const query = { of: 'user', ids: some.map(({ id }) => id).join(',') } as const
      const { data, currency } = await api('GET /admin/api/v1/usage/activity', { query })
      const used = new Map(data.map((each) => [each.id, each]))
      for (const user of some) {
        const { requests = [], tokens = 0, cost = 0 } = used.get(user.id) ?? {}
        rows.push([
          user.email,
          user.name,
          user.kind,
          user.role,
          user.disabled ? 'disabled' : user.invited_until === null ? 'active' : 'invited',
          user.groups.flatMap((id) => nameOf.get(id) ?? []).join('; '),
          user.created_at,
          user.last_seen_at,
          requests.reduce((sum, each) => sum + each, 0),
          tokens,
          amountText(cost),
          currency,
        ])
      }
    }
  }
  downloadCsv('users.csv', csvText(head, rows))
}
