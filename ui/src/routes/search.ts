/**
 * The query parameters of the pages. Whatever somebody types there, a page gets values that it
 * knows: the router lays what these functions answer over what was typed, so each parameter is in
 * the answer, undefined when it is not usable.
 */

import { readRangeSearch, type RangeSearch } from './time-range.ts'

type Search = Readonly<Record<string, unknown>>

export interface SignInSearch {
  /** Where to go afterwards. */
  readonly return?: string | undefined
  /** Code of why signing in through the issuer failed. */
  readonly error?: string | undefined
}

export function readSignInSearch(search: Search): SignInSearch {
  const path = search['return']
  // Only a path of this server: two slashes or a backslash would lead to another one.
  return {
    return: typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : undefined,
    error: text(search['error']),
  }
}

/** What leads back to this address after signing in; the first page needs no leading to. */
export function signInSearch({ pathname, href }: { readonly pathname: string; readonly href: string }): SignInSearch {
  return pathname === '/' ? {} : { return: href }
}

export const spans = ['hour', 'day', 'week', 'month'] as const
export type Span = (typeof spans)[number]

export interface OverviewSearch {
  readonly span?: Span | undefined
}

export function readOverviewSearch(search: Search): OverviewSearch {
  return { span: spans.find((each) => each === search['span']) }
}

export interface ModelsSearch {
  readonly q?: string | undefined
  readonly view?: 'table' | undefined
  /** Name of the model whose details are open. */
  readonly model?: string | undefined
  /** `all` shows every model with its administration, to administrators. */
  readonly reach?: 'all' | undefined
}

export function readModelsSearch(search: Search): ModelsSearch {
  return {
    q: text(search['q']),
    view: search['view'] === 'table' ? 'table' : undefined,
    model: text(search['model']),
    reach: search['reach'] === 'all' ? 'all' : undefined,
  }
}

export interface NewModelSearch {
  /** Id of the model that the new one begins as a copy of. */
  readonly from?: string | undefined
  readonly kind?: 'composite' | undefined
}

export function readNewModelSearch(search: Search): NewModelSearch {
  return { from: text(search['from']), kind: search['kind'] === 'composite' ? 'composite' : undefined }
}

export interface KeysSearch {
  /** `anyone` shows the keys of all users, to administrators. */
  readonly owner?: 'anyone' | undefined
}

export function readKeysSearch(search: Search): KeysSearch {
  return { owner: search['owner'] === 'anyone' ? 'anyone' : undefined }
}

export const playgroundTabs = ['chat', 'vision', 'search'] as const

export interface PlaygroundSearch {
  readonly tab?: (typeof playgroundTabs)[number] | undefined
  /** Name of the model to chat with. */
  readonly model?: string | undefined
  /** What is looked for in the documents. */
  readonly q?: string | undefined
}

export function readPlaygroundSearch(search: Search): PlaygroundSearch {
  const tab = playgroundTabs.find((each) => each === search['tab'])
  return { tab, model: text(search['model']), q: text(search['q']) }
}

const documentStates = ['unfinished', 'completed', 'failed', 'cancelled'] as const

export interface DocumentsSearch {
  /** Part of the name. */
  readonly q?: string | undefined
  readonly state?: (typeof documentStates)[number] | undefined
  readonly category?: string | undefined
}

export function readDocumentsSearch(search: Search): DocumentsSearch {
  const state = documentStates.find((each) => each === search['state'])
  return { q: text(search['q']), state, category: text(search['category']) }
}

export interface DocumentSearch {
  /** Place of the chunk that is pointed at. */
  readonly chunk?: number | undefined
  /** What is looked for in the document. */
  readonly q?: string | undefined
}

export function readDocumentSearch(search: Search): DocumentSearch {
  const chunk = text(search['chunk']) ?? ''
  return { chunk: /^\d{1,9}$/.test(chunk) ? Number(chunk) : undefined, q: text(search['q']) }
}

export interface UsersSearch {
  /** Part of the e-mail address. */
  readonly q?: string | undefined
}

export function readUsersSearch(search: Search): UsersSearch {
  return { q: text(search['q']) }
}

export interface GroupsSearch {
  /** Id of the group that is open. */
  readonly group?: string | undefined
}

export function readGroupsSearch(search: Search): GroupsSearch {
  return { group: text(search['group']) }
}

export const settingsTabs = ['live', 'start', 'limits', 'about'] as const

export interface SettingsSearch {
  readonly tab?: (typeof settingsTabs)[number] | undefined
  /** Words that the shown settings have. */
  readonly q?: string | undefined
}

export function readSettingsSearch(search: Search): SettingsSearch {
  return { tab: settingsTabs.find((each) => each === search['tab']), q: text(search['q']) }
}

export const groupings = ['model', 'user', 'key'] as const

export interface UsageSearch extends RangeSearch {
  readonly by?: (typeof groupings)[number] | undefined
}

export function readUsageSearch(search: Search): UsageSearch {
  return { ...readRangeSearch(search), by: groupings.find((each) => each === search['by']) }
}

export const requestOutcomes = ['success', 'error', 'client_error', 'server_error'] as const

export interface RequestsSearch extends RangeSearch {
  /** Canonical name. */
  readonly model?: string | undefined
  /** Ids. */
  readonly user?: string | undefined
  readonly key?: string | undefined
  readonly status?: (typeof requestOutcomes)[number] | undefined
}

export function readRequestsSearch(search: Search): RequestsSearch {
  return {
    ...readRangeSearch(search),
    model: text(search['model']),
    user: text(search['user']),
    key: text(search['key']),
    status: requestOutcomes.find((each) => each === search['status']),
  }
}

/** The router reads what looks like a number as one. */
function text(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined
}
