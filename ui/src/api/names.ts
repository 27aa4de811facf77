/** Names of users, API keys and groups, for records that have only their ids. */
import { queryOptions, useQueries, type QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { api } from './client.ts'
import { pagesOf, resource, type Page, type PageQuery, type UsageScope } from './queries.ts'
import type { ApiKey } from './schema.d.ts'

export type NamedKind = 'user' | 'key' | 'group'

/** Whose names to read: the caller's own or everyone's. Groups are for administrators. */
export interface NameSource {
  readonly kind: NamedKind
  readonly scope: UsageScope
}

type NamedId = readonly [id: string, name: string]

const staleTime = 5 * 60_000

/** The name of a key where several are listed. */
export function keyName({ name, prefix }: Pick<ApiKey, 'name' | 'prefix'>): string {
  return `${name} (${prefix})`
}

/** The names of these ids, in order. "…" while a name loads; the id null has its own text. */
export function useNames(source: NameSource, ids: readonly (string | null)[]): readonly string[] {
  const results = useQueries({
    queries: ids.map((id) => ({ ...nameQuery(source, id ?? ''), enabled: id !== null })),
  })
  return ids.map((id, index) => {
    if (id === null) return textOfNull(source)
    const result = results[index]
    return result?.data ?? (result?.error ? shortId(id) : '…')
  })
}

/** Reads the names of many ids: page by page, until all are found. */
export async function readNames(
  source: NameSource,
  ids: ReadonlySet<string | null>,
): Promise<(id: string | null) => string> {
  const names = new Map<string, string>()
  const missing = new Set(ids)
  missing.delete(null)
  for await (const page of pagesOf((query) => readPage(source, query))) {
    for (const [id, name] of page) if (missing.delete(id)) names.set(id, name)
    if (missing.size === 0) break
  }
  return (id) => (id === null ? textOfNull(source) : (names.get(id) ?? deletedText(source, id)))
}

/** The first page has all names of a small server; other ids are read one by one. */
function nameQuery(source: NameSource, id: string) {
  return queryOptions({
    queryKey: [...listKey(source), 'name', source.scope, id],
    queryFn: async ({ client }) => (await firstNames(client, source)).get(id) ?? (await readName(source, id)),
    staleTime,
  })
}

function firstNames(client: QueryClient, source: NameSource): Promise<ReadonlyMap<string, string>> {
  return client.fetchQuery({
    queryKey: [...listKey(source), 'first-names', source.scope],
    queryFn: async () => new Map((await readPage(source, { limit: 200 })).data),
    staleTime,
  })
}

function listKey({ kind }: NameSource): readonly string[] {
  return { user: resource.users, key: resource.keys, group: resource.groups }[kind]
}

async function readPage({ kind, scope }: NameSource, query: PageQuery): Promise<Page<NamedId>> {
  if (kind === 'user' && scope === 'self') {
    const { user } = await api('GET /admin/api/v1/session')
    return { data: [[user.id, user.email]], next_cursor: null }
  }
  if (kind === 'user') {
    const page = await api('GET /admin/api/v1/users', { query })
    return { ...page, data: page.data.map(({ id, email }) => [id, email]) }
  }
  if (kind === 'group') {
    const page = await api('GET /admin/api/v1/groups', { query })
    return { ...page, data: page.data.map(({ id, name }) => [id, name]) }
  }
  const page = await (scope === 'self'
    ? api('GET /admin/api/v1/me/keys', { query })
    : api('GET /admin/api/v1/keys', { query }))
  return { ...page, data: page.data.map((key) => [key.id, keyName(key)]) }
}

async function readName(source: NameSource, id: string): Promise<string> {
  const params = { id }
  try {
    if (source.kind === 'user') return (await api('GET /admin/api/v1/users/{id}', { params })).email
    if (source.kind === 'group') return (await api('GET /admin/api/v1/groups/{id}', { params })).name
    return keyName(
      await (source.scope === 'self'
        ? api('GET /admin/api/v1/me/keys/{id}', { params })
        : api('GET /admin/api/v1/keys/{id}', { params })),
    )
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return deletedText(source, id)
    throw thrown
  }
}

function textOfNull({ kind }: NameSource): string {
  return { user: 'unknown', key: 'none (signed in)', group: 'no group' }[kind]
}

function deletedText({ kind }: NameSource, id: string): string {
  return `deleted ${kind} ${shortId(id)}`
}

function shortId(id: string): string {
  return id.slice(0, 8)
}
