/** What users and API keys are called, for lists that the server fills with their ids. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from './client.ts'
import { resource, type UsageReach } from './queries.ts'

export type NamedKind = 'user' | 'key'

/** Those beyond are shown by their id. */
const pagesMax = 25
const pageSize = 200

/** Names by id: e-mail addresses of users, names of keys. An ordinary user has names of the own keys only. */
function namesQuery(kind: NamedKind, reach: UsageReach) {
  return queryOptions({
    queryKey: [...(kind === 'user' ? resource.users : resource.keys), 'names', reach],
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>()
      let cursor: string | null = null
      for (let page = 0; page < pagesMax; page += 1) {
        const query: { limit: number; cursor?: string } = { limit: pageSize, ...(cursor !== null && { cursor }) }
        const next: NamePage = await readPage(kind, reach, { query, signal })
        for (const [id, name] of next.names) names.set(id, name)
        cursor = next.nextCursor
        if (cursor === null) break
      }
      return names
    },
    staleTime: 5 * 60_000,
  })
}

interface NamePage {
  readonly names: readonly (readonly [string, string])[]
  readonly nextCursor: string | null
}

interface PageInput {
  readonly query: { readonly limit: number; readonly cursor?: string }
  readonly signal: AbortSignal
}

async function readPage(kind: NamedKind, reach: UsageReach, input: PageInput): Promise<NamePage> {
  if (kind === 'user') {
    if (reach === 'self') return { names: [], nextCursor: null }
    const { data, next_cursor: nextCursor } = await api('GET /admin/api/v1/users', input)
    return { names: data.map(({ id, email }) => [id, email] as const), nextCursor }
  }
  const { data, next_cursor: nextCursor } =
    reach === 'self' ? await api('GET /admin/api/v1/me/keys', input) : await api('GET /admin/api/v1/keys', input)
  return { names: data.map(({ id, name, prefix }) => [id, `${name} (${prefix})`] as const), nextCursor }
}

/** Tells what an id is called; one that is gone by the beginning of its id. */
export function useNames(kind: NamedKind, reach: UsageReach): (id: string | null) => string {
  const { data } = useQuery(namesQuery(kind, reach))
  return useCallback(
    (id) => {
      if (id === null) return kind === 'user' ? 'nobody' : 'signed in, without a key'
      return data === undefined ? '…' : (data.get(id) ?? `deleted ${kind} ${id.slice(0, 8)}`)
    },
    [data, kind],
  )
}
