/**
 * A provider in its form, and the request that the form becomes: all fields of a new provider, the
 * changed fields of an existing one. Stored secrets are not in the form; empty fields keep them.
 */
import { ApiError } from '../../api/api-error.ts'
import type { Provider, ProviderChange, ProviderCreation, ProviderPreset, Timeouts } from '../../api/schema.d.ts'

export type ProviderKindName = NonNullable<ProviderCreation['kind']>

export interface HeaderDraft {
  /** Identifies the row while its name is edited. */
  readonly id: number
  readonly name: string
  readonly value: string
  /** The server stores a value, which it does not show. */
  readonly stored: boolean
}

export interface ProviderDraft {
  readonly name: string
  readonly kind: ProviderKindName
  readonly baseUrl: string
  /** Empty = unchanged. */
  readonly credential: string
  readonly removeCredential: boolean
  readonly headers: readonly HeaderDraft[]
  /** Seconds as typed. Empty = the default of the settings. */
  readonly timeouts: Readonly<Record<keyof Timeouts, string>>
  /** A JSON object. */
  readonly options: string
  readonly servers: ServersDraft
}

export interface ServersDraft {
  /** Base URLs, one a line. */
  readonly urls: string
  /** Empty = the host is one server. */
  readonly dns: '' | NonNullable<Servers['dns']>
  readonly strategy: NonNullable<Servers['strategy']>
}

type Servers = NonNullable<ProviderCreation['servers']>

/** The properties of all parts of the form. */
export interface ProviderFieldsProps {
  readonly draft: ProviderDraft
  readonly onChange: (draft: ProviderDraft) => void
  /** The provider before the change; null for a new one. */
  readonly before: Provider | null
  /** The preset of a new provider, if there is one. */
  readonly preset: ProviderPreset | null
}

export const timeoutNames = ['connect_seconds', 'first_token_seconds', 'idle_seconds', 'total_seconds'] as const

let lastId = 0

/** A new row for a header. */
export function headerDraft(name = '', value = '', stored = false): HeaderDraft {
  return { id: (lastId += 1), name, value, stored }
}

/** The initial values of a preset; null for none. */
export function draftOfPreset(preset: ProviderPreset | null): ProviderDraft {
  return {
    name: preset?.name ?? '',
    // The server lists only presets whose kind it supports.
    kind: (preset?.kind ?? 'openai') as ProviderKindName,
    baseUrl: preset?.base_url ?? '',
    credential: '',
    removeCredential: false,
    headers: Object.entries(preset?.headers ?? {}).map(([name, value]) => headerDraft(name, value)),
    timeouts: timeoutsDraft({}),
    options: '',
    servers: serversDraft(null),
  }
}

/** The values of an existing provider. */
export function draftOfProvider(provider: Provider): ProviderDraft {
  return {
    name: provider.name,
    kind: provider.kind as ProviderKindName,
    baseUrl: provider.base_url,
    credential: '',
    removeCredential: false,
    headers: provider.header_names.map((name) => headerDraft(name, '', true)),
    timeouts: timeoutsDraft(provider.timeouts),
    options: Object.keys(provider.options).length === 0 ? '' : JSON.stringify(provider.options, null, 2),
    servers: serversDraft(provider.servers),
  }
}

/** Throws ApiError when the options are not a JSON object. */
export function creationOf(draft: ProviderDraft): ProviderCreation {
  return {
    name: draft.name.trim(),
    kind: draft.kind,
    base_url: draft.baseUrl.trim(),
    credential: draft.credential.trim() || null,
    headers: Object.fromEntries(namedHeaders(draft).map(({ name, value }) => [name, value])),
    timeouts: timeoutsOf(draft),
    options: readOptions(draft.options),
    servers: serversOf(draft),
  }
}

/** Throws ApiError when the options are not a JSON object. */
export function changeOf(before: Provider, draft: ProviderDraft): ProviderChange {
  const { kind } = draft
  const [name, baseUrl, credential] = [draft.name.trim(), draft.baseUrl.trim(), draft.credential.trim()]
  const headers = headerChanges(before, draft)
  const options = optionChanges(before.options, readOptions(draft.options))
  const servers = serversOf(draft)
  return {
    ...(name !== before.name && { name }),
    ...(kind !== before.kind && { kind }),
    ...(baseUrl !== before.base_url && { base_url: baseUrl }),
    ...(draft.removeCredential ? { credential: null } : credential !== '' && { credential }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(JSON.stringify(servers) !== JSON.stringify(before.servers) && { servers }),
    timeouts: timeoutsOf(draft),
  }
}

function timeoutsDraft(timeouts: Timeouts): ProviderDraft['timeouts'] {
  const text = (name: keyof Timeouts): string => String(timeouts[name] ?? '')
  return {
    connect_seconds: text('connect_seconds'),
    first_token_seconds: text('first_token_seconds'),
    idle_seconds: text('idle_seconds'),
    total_seconds: text('total_seconds'),
  }
}

function timeoutsOf({ timeouts }: ProviderDraft): Timeouts {
  const given = timeoutNames.filter((name) => timeouts[name].trim() !== '')
  return Object.fromEntries(given.map((name) => [name, Number(timeouts[name])]))
}

function serversDraft(servers: Provider['servers']): ServersDraft {
  return { urls: servers?.urls.join('\n') ?? '', dns: servers?.dns ?? '', strategy: servers?.strategy ?? 'affinity' }
}

/** Null when the address is the one server. */
function serversOf({ servers: { urls, dns, strategy } }: ProviderDraft): Provider['servers'] {
  const listed = urls.split(/\s+/).filter((url) => url !== '')
  return listed.length === 0 && dns === '' ? null : { urls: listed, dns: dns || null, strategy }
}

function namedHeaders({ headers }: ProviderDraft): readonly HeaderDraft[] {
  return headers.map((header) => ({ ...header, name: header.name.trim() })).filter(({ name }) => name !== '')
}

/** Null for removed headers; unchanged headers are left out. */
function headerChanges(before: Provider, draft: ProviderDraft): Record<string, string | null> {
  const now = namedHeaders(draft)
  const gone = before.header_names.filter((name) => !now.some((header) => header.name === name))
  const set = now.filter(({ stored, value }) => !stored || value !== '')
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(set.map(({ name, value }) => [name, value])),
  }
}

type Options = Provider['options']

/** Secrets in the options read `[secret]`, so unchanged options must not be sent. */
function optionChanges(before: Options, after: Options): Options {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  const gone = Object.keys(before).filter((name) => !(name in after))
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(changed) }
}

function readOptions(text: string): Options {
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Options
  throw new ApiError({
    message: 'The options must be a JSON object, for example {"region": "eu-central-1"}.',
    code: 'console_error',
    status: 0,
    param: 'options',
    requestId: null,
    retryAfterSeconds: null,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
