/** Names of users and API keys, for records that have only their ids. */
import { queryOptions, useQueries, type QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { api } from './client.ts'
import { pagesOf, resource, type Page, type PageQuery, type UsageReach } from './queries.ts'
import type { ApiKey } from './schema.d.ts'

export type NamedKind = 'user' | 'key'

/** Whose names are needed: users or keys, the caller's own or everyone's. */
export interface NameScope {
  readonly kind: NamedKind
  readonly reach: UsageReach
}

type NamedId = readonly [id: string, name: string]

const staleTime = 5 * 60_000

/** The name of a key where several are listed. */
export function keyName({ name, prefix }: Pick<ApiKey, 'name' | 'prefix'>): string {
  return `${name} (${prefix})`
}

/** The names of these ids, in their order. "…" while a name is read; null has a text of its own. */
export function useNames(scope: NameScope, ids: readonly (string | null)[]): readonly string[] {
  const results = useQueries({
    queries: ids.map((id) => ({ ...nameQuery(scope, id ?? ''), enabled: id !== null })),
  })
  return ids.map((id, index) => {
    if (id === null) return textOfNull(scope)
    const result = results[index]
    return result?.data ?? (result?.error ? shortId(id) : '…')
  })
}

/** Reads the names of many ids at once, page by page until all are found. */
export async function readNames(
  scope: NameScope,
  ids: ReadonlySet<string | null>,
): Promise<(id: string | null) => string> {
  const names = new Map<string, string>()
  const missing = new Set(ids)
  missing.delete(null)
  for await (const page of pagesOf((query) => readPage(scope, query))) {
    for (const [id, name] of page) if (missing.delete(id)) names.set(id, name)
    if (missing.size === 0) break
  }
  return (id) => (id === null ? textOfNull(scope) : (names.get(id) ?? deletedText(scope, id)))
}

/** One request answers for all names of a small server; beyond the first page each id is read by itself. */
function nameQuery(scope: NameScope, id: string) {
  return queryOptions({
    queryKey: [...listKey(scope), 'name', scope.reach, id],
    queryFn: async ({ client }) => (await firstNames(client, scope)).get(id) ?? (await readName(scope, id)),
    staleTime,
  })
}

function firstNames(client: QueryClient, scope: NameScope): Promise<ReadonlyMap<string, string>> {
  return client.fetchQuery({
    queryKey: [...listKey(scope), 'first-names', scope.reach],
    queryFn: async () => new Map((await readPage(scope, { limit: 200 })).data),
    staleTime,
  })
}

function listKey({ kind }: NameScope): readonly string[] {
  return kind === 'user' ? resource.users : resource.keys
}

async function readPage({ kind, reach }: NameScope, query: PageQuery): Promise<Page<NamedId>> {
  if (kind === 'user' && reach === 'self') {
    const { user } = await api('GET /admin/api/v1/session')
    return { data: [[user.id, user.email]], next_cursor: null }
  }
  if (kind === 'user') {
    const page = await api('GET /admin/api/v1/users', { query })
    return { ...page, data: page.data.map(({ id, email }) => [id, email]) }
  }
  const page = await (reach === 'self'
    ? api('GET /admin/api/v1/me/keys', { query })
    : api('GET /admin/api/v1/keys', { query }))
  return { ...page, data: page.data.map((key) => [key.id, keyName(key)]) }
}

async function readName(scope: NameScope, id: string): Promise<string> {
  const params = { id }
  try {
    if (scope.kind === 'user') return (await api('GET /admin/api/v1/users/{id}', { params })).email
    return keyName(
      await (scope.reach === 'self'
        ? api('GET /admin/api/v1/me/keys/{id}', { params })
        : api('GET /admin/api/v1/keys/{id}', { params })),
    )
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return deletedText(scope, id)
    throw thrown
  }
}

function textOfNull({ kind }: NameScope): string {
  return kind === 'user' ? 'unknown' : 'none (signed in)'
}

function deletedText({ kind }: NameScope, id: string): string {
  return `deleted ${kind} ${shortId(id)}`
}

function shortId(id: string): string {
  return id.slice(0, 8)
}
