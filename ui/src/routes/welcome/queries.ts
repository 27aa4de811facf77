/** What the account has done so far: the server knows it, whichever browser it was done in. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

/** Whether the account has ever had an answer, and whether it has an API key. */
export const progressQuery = queryOptions({
  queryKey: [...resource.usage, 'progress'],
  queryFn: async ({ signal }) => {
    const [usage, keys] = await Promise.all([
      api('GET /admin/api/v1/me/usage', { query: { from: new Date(0).toISOString() }, signal }),
      api('GET /admin/api/v1/me/keys', { query: { limit: 1 }, signal }),
    ])
    return { answered: usage.requests > usage.errors, hasKey: keys.data.length > 0 }
  },
})
