/**
 * The query parameters of the pages. The functions validate them: an invalid parameter becomes
 * undefined. They return every parameter, because the router merges the result over the address.
 */
import { abilityNames, kindNames, type Ability, type ModelKind } from './models/catalogue-facts.ts'
import { readRangeSearch, type RangeSearch } from './time-range.ts'

type Search = Readonly<Record<string, unknown>>

export interface SignInSearch {
  /** The page to open after the sign-in. */
  readonly return?: string | undefined
  /** The code of a failed sign-in with OpenID Connect. */
  readonly error?: string | undefined
}

export function readSignInSearch(search: Search): SignInSearch {
  const path = search['return']
  // Only a path of this server: two slashes or a backslash would lead to another host.
  return {
    return: typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : undefined,
    error: text(search['error']),
  }
}

/** The parameters that return to this address after the sign-in; none for the first page. */
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

export const catalogueOrders = ['price', 'context', 'latency', 'speed', 'use'] as const
/** Tokens. */
export const contextSteps = [8000, 32_000, 128_000, 200_000, 1_000_000] as const
/** Units of the currency for a million tokens of input. */
export const priceSteps = [0, 0.5, 2, 5, 15] as const

export interface ModelsSearch {
  readonly q?: string | undefined
  readonly view?: 'table' | undefined
  /** `all` shows administrators every model, with its actions. */
  readonly reach?: 'all' | undefined
  readonly kind?: ModelKind | undefined
  readonly provider?: string | undefined
  /** At least as many tokens. */
  readonly context?: (typeof contextSteps)[number] | undefined
  /** At most as expensive. */
  readonly price?: (typeof priceSteps)[number] | undefined
  readonly can?: Ability | undefined
  readonly order?: (typeof catalogueOrders)[number] | undefined
}

export function readModelsSearch(search: Search): ModelsSearch {
  const oneOf = <Value>(choices: readonly Value[], name: string): Value | undefined =>
    choices.find((each) => each === search[name])
  return {
    q: text(search['q']),
    view: search['view'] === 'table' ? 'table' : undefined,
    reach: search['reach'] === 'all' ? 'all' : undefined,
    kind: oneOf(kindNames, 'kind'),
    provider: text(search['provider']),
    context: oneOf(contextSteps, 'context'),
    price: oneOf(priceSteps, 'price'),
    can: oneOf(abilityNames, 'can'),
    order: oneOf(catalogueOrders, 'order'),
  }
}

export interface NewModelSearch {
  /** Id of the model to copy. */
  readonly from?: string | undefined
  readonly kind?: 'composite' | undefined
}

export function readNewModelSearch(search: Search): NewModelSearch {
  return { from: text(search['from']), kind: search['kind'] === 'composite' ? 'composite' : undefined }
}

export const modelTabs = ['model', 'cost'] as const

export interface ModelSearch {
  readonly tab?: (typeof modelTabs)[number] | undefined
}

export function readModelSearch(search: Search): ModelSearch {
  return { tab: modelTabs.find((each) => each === search['tab']) }
}

/** The order of a list that the server sorts; the order of creation when left out. */
export interface OrderSearch<By extends string> {
  readonly sort?: By | undefined
  readonly desc?: true | undefined
}

function readOrder<By extends string>(search: Search, orders: readonly By[]): OrderSearch<By> {
  const sort = orders.find((each) => each === search['sort'])
  return { sort, desc: sort !== undefined && search['desc'] === true ? true : undefined }
}

export const keyOrders = ['name', 'last_used', 'expires', 'created'] as const

export interface KeysSearch extends OrderSearch<(typeof keyOrders)[number]> {
  /** `anyone` shows administrators the keys of all users. */
  readonly owner?: 'anyone' | undefined
  /** Part of what names a key or its user. */
  readonly q?: string | undefined
  /** The dialog of a new one is open. */
  readonly new?: true | undefined
}

export function readKeysSearch(search: Search): KeysSearch {
  const owner = search['owner'] === 'anyone' ? 'anyone' : undefined
  return { owner, q: text(search['q']), new: flagOf(search['new']), ...readOrder(search, keyOrders) }
}

export const playgroundTabs = ['chat', 'vision', 'images', 'audio', 'embeddings', 'rerank', 'search'] as const

export interface PlaygroundSearch {
  readonly tab?: (typeof playgroundTabs)[number] | undefined
  /** Name of the model to chat with. */
  readonly model?: string | undefined
  /** The query of the document search. */
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
  /** Values of metadata that the documents have. */
  readonly meta?: Readonly<Record<string, string | number | boolean | null>> | undefined
}

export function readDocumentsSearch(search: Search): DocumentsSearch {
  const state = documentStates.find((each) => each === search['state'])
  return { q: text(search['q']), state, category: text(search['category']), meta: plainValues(search['meta']) }
}

/** Names with plain values; undefined for anything else, and for none. */
function plainValues(value: unknown): DocumentsSearch['meta'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value).slice(0, 20)
  const isPlain = entries.every(([, each]) => each === null || ['string', 'number', 'boolean'].includes(typeof each))
  return isPlain && entries.length > 0 ? (Object.fromEntries(entries) as DocumentsSearch['meta']) : undefined
}

export interface DocumentSearch {
  /** Ordinal of the highlighted chunk. */
  readonly chunk?: number | undefined
  /** The query of the search in the document. */
  readonly q?: string | undefined
}

export function readDocumentSearch(search: Search): DocumentSearch {
  const chunk = text(search['chunk']) ?? ''
  return { chunk: /^\d{1,9}$/.test(chunk) ? Number(chunk) : undefined, q: text(search['q']) }
}

export interface VectorStoreSearch {
  /** The question that is tried out. */
  readonly q?: string | undefined
}

export function readVectorStoreSearch(search: Search): VectorStoreSearch {
  return { q: text(search['q']) }
}

export interface BatchesSearch {
  readonly tab?: 'files' | undefined
  /** Id of the batch whose details are open. */
  readonly batch?: string | undefined
}

export function readBatchesSearch(search: Search): BatchesSearch {
  return { tab: search['tab'] === 'files' ? 'files' : undefined, batch: text(search['batch']) }
}

export const userKinds = ['person', 'service'] as const

export const userOrders = ['email', 'name', 'last_seen', 'created'] as const

export interface UsersSearch extends OrderSearch<(typeof userOrders)[number]> {
  /** Part of the e-mail address or the name. */
  readonly q?: string | undefined
  readonly kind?: (typeof userKinds)[number] | undefined
  /** The dialog of an invitation is open. */
  readonly new?: true | undefined
}

export function readUsersSearch(search: Search): UsersSearch {
  const kind = userKinds.find((each) => each === search['kind'])
  return { q: text(search['q']), kind, new: flagOf(search['new']), ...readOrder(search, userOrders) }
}

export const userTabs = ['usage', 'keys', 'limits', 'documents', 'sessions'] as const

/** The page of a user; the search and the order are those of the keys. */
export interface UserSearch extends KeysSearch {
  readonly tab?: (typeof userTabs)[number] | undefined
}

export function readUserSearch(search: Search): UserSearch {
  return { tab: userTabs.find((each) => each === search['tab']), ...readKeysSearch(search) }
}

export const groupTabs = ['members', 'models', 'usage', 'limits'] as const

export interface GroupSearch {
  readonly tab?: (typeof groupTabs)[number] | undefined
}

export function readGroupSearch(search: Search): GroupSearch {
  return { tab: groupTabs.find((each) => each === search['tab']) }
}

export const settingsTabs = ['live', 'start', 'limits', 'about'] as const

export interface SettingsSearch {
  readonly tab?: (typeof settingsTabs)[number] | undefined
  /** The search in the settings. */
  readonly q?: string | undefined
}

export function readSettingsSearch(search: Search): SettingsSearch {
  return { tab: settingsTabs.find((each) => each === search['tab']), q: text(search['q']) }
}

export interface ProvidersSearch {
  /** Opens the dialog that adds one: a preset's name, or `any` to choose. */
  readonly add?: string | undefined
}

export function readProvidersSearch(search: Search): ProvidersSearch {
  return { add: text(search['add']) }
}

export const groupings = ['model', 'user', 'key', 'group'] as const

export interface UsageSearch extends RangeSearch {
  readonly by?: (typeof groupings)[number] | undefined
}

export function readUsageSearch(search: Search): UsageSearch {
  return { ...readRangeSearch(search), by: groupings.find((each) => each === search['by']) }
}

export const requestOutcomes = ['success', 'error', 'client_error', 'server_error'] as const

export interface RequestsSearch extends RangeSearch {
  /** The name of a model, not an alias. */
  readonly model?: string | undefined
  /** Ids. */
  readonly user?: string | undefined
  readonly key?: string | undefined
  /** The name of a provider. */
  readonly provider?: string | undefined
  readonly status?: (typeof requestOutcomes)[number] | undefined
}

export function readRequestsSearch(search: Search): RequestsSearch {
  return {
    ...readRangeSearch(search),
    model: text(search['model']),
    user: text(search['user']),
    key: text(search['key']),
    provider: text(search['provider']),
    status: requestOutcomes.find((each) => each === search['status']),
  }
}

export interface RequestSearch {
  /** When it arrived: clients may send one id twice. */
  readonly at?: string | undefined
}

export function readRequestSearch(search: Search): RequestSearch {
  return { at: text(search['at']) }
}

export const auditOutcomes = ['begun', 'done', 'refused', 'failed'] as const

export interface AuditSearch extends RangeSearch {
  /** E-mail address. */
  readonly actor?: string | undefined
  /** The path of a record. */
  readonly record?: string | undefined
  readonly outcome?: (typeof auditOutcomes)[number] | undefined
}

export function readAuditSearch(search: Search): AuditSearch {
  return {
    ...readRangeSearch(search),
    actor: text(search['actor']),
    record: text(search['record']),
    outcome: auditOutcomes.find((each) => each === search['outcome']),
  }
}

function flagOf(value: unknown): true | undefined {
  return value === true ? true : undefined
}

/** The router parses numeric text as a number. */
function text(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined
}
