/**
 * A provider as the admin API shows it and takes it. The credential and the values of headers go in
 * and never come out.
 */
import { instant, instantOf } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import { readHttpUrl } from '#config/settings/formats.ts'
import { serverDiscoveries, serversForm, serverStrategies } from '#config/declared/routing-forms.ts'
import { ApiError } from '#errors/api-error.ts'
import { isJsonValue, type JsonValue } from '#lib/json-value.ts'
import type { Sealer } from '#lib/seal.ts'
import { Secret } from '#lib/secret.ts'
import { presetBaseUrl, type ProviderPreset } from '#providers/presets.ts'
import { mayHaveServers, providerKindNames, providerKinds } from '#providers/registry.ts'
import type { ProviderPatch } from '#store/catalog/providers.ts'
import { name, timeouts, timeoutsFromWire, timeoutsOnWire } from '../fields.ts'
import { reasoning, reasoningAnswer, reasoningOnWire } from '../models/routing-fields.ts'
import { etag, sealedVersionOf } from '../record-version.ts'
import { requireSecretsAgain, shownSecret, withoutSecrets } from './provider-secrets.ts'

const dnsText =
  'What the host of `base_url` leads to: a: each address is a server; srv: each SRV record; null = one server'

export const providerAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string().describe('Shown as `owned_by` of its models'),
    kind: z.string(),
    base_url: z.string().describe('Empty for a kind without a server'),
    has_credential: z.boolean(),
    header_names: z.array(z.string()).describe('Further headers of every request; their values are not shown'),
    timeouts,
    options: z.record(z.string(), z.unknown()).describe('What only its kind knows; secrets among them read [secret]'),
    reasoning: reasoningAnswer
      .nullable()
      .describe('For all its models without their own; null = what is known about the vendor'),
    max_concurrent: z.int().nullable().describe('Requests under way at all its models at once; null = any number'),
    servers: z
      .strictObject({
        urls: z.array(z.string()).describe('Further servers with the same models'),
        dns: z.enum(serverDiscoveries).nullable().describe(dnsText),
        strategy: z.enum(serverStrategies).describe('How requests choose among them'),
      })
      .nullable()
      .describe('Its servers, when it has several; null = the one at `base_url`'),
    enabled: z.boolean(),
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
    etag,
  })
  .meta({ id: 'Provider' })

const kind = z.enum(providerKindNames as [string, ...string[]])

const baseUrl = z
  .string()
  .max(2000)
  .transform((value, context): string => {
    const read = value === '' ? '' : readHttpUrl(value)
    if (read !== null) return read
    context.addIssue('expected an http:// or https:// address without user, query or fragment')
    return z.NEVER
  })

/** What a header can carry; a line feed in it would begin another header. */
const headerValue = z
  .string()
  .max(10_000)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'expected printable ASCII characters without blanks at the ends')
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'expected the name of an HTTP header')

const maxConcurrent = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullable()
  .describe('Requests under way at all its models at once, over all accounts and processes; null = any number')

const servers = serversForm
  .nullable()
  .describe(
    'Its servers, when it has several: `urls` of others than `base_url`, `dns` for what the host of `base_url` leads to (a: each address is a server; srv: each SRV record), `strategy` for how requests choose; null = the one at `base_url`',
  )

const optionName = z.string().regex(/^\w{1,100}$/, 'expected the name of an option')
const option = z
  .unknown()
  .refine(isJsonValue, 'expected a JSON value')
  .refine((value) => value !== shownSecret, 'expected the secret itself') as z.ZodType<JsonValue>

export const providerCreation = z
  .strictObject({
    name,
    kind: kind.default('openai'),
    base_url: baseUrl.default(''),
    credential: headerValue.nullable().default(null).describe('Sent as the bearer token; never shown again'),
    headers: z.record(headerName, headerValue).default({}),
    timeouts: timeouts.default({}),
    options: z.record(optionName, option).default({}).describe('What only its kind knows, such as region or package'),
    reasoning: reasoning.nullable().default(null).describe('For all its models; null = what is known about the vendor'),
    max_concurrent: maxConcurrent.default(null),
    servers: servers.default(null),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'ProviderCreation' })

export const providerChange = z
  .strictObject({
    name: name.optional(),
    kind: kind.optional(),
    base_url: baseUrl.optional(),
    credential: headerValue.nullable().optional().describe('null removes it; left out: as it is'),
    headers: z.record(headerName, headerValue.nullable()).optional().describe('Set one by one; null removes one'),
    timeouts: timeouts.optional(),
    options: z.record(optionName, option).optional().describe('Set one by one; null removes one'),
    reasoning: reasoning.nullable().optional(),
    max_concurrent: maxConcurrent.optional(),
    servers: servers.optional(),
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'ProviderChange' })

export function providerOnWire(record: ProviderRecord, sealer: Sealer): z.input<typeof providerAnswer> {
  return {
    id: record.id,
    name: record.name,
    kind: record.kind,
    base_url: record.baseUrl,
    has_credential: record.credential !== null,
    header_names: Object.keys(record.headers).sort(),
    timeouts: timeoutsOnWire(record.timeouts),
    options: withoutSecrets(record.options) as Record<string, unknown>,
    reasoning: reasoningOnWire(record.reasoning),
    max_concurrent: record.maxConcurrent,
    servers: record.servers && { ...record.servers, urls: [...record.servers.urls] },
    enabled: record.enabled,
    declared: record.declared,
    created_at: instantOf(record.createdAt),
    etag: providerVersion(record, sealer),
  }
}

/** A new credential is another version, too. */
export function providerVersion(
  { id: _id, declared: _declared, createdAt: _at, ...fields }: ProviderRecord,
  sealer: Sealer,
): string {
  return sealedVersionOf(sealer, { ...fields, credential: fields.credential?.reveal() ?? null })
}

/** A new record with these fields. Answers 422 when the kind needs an address and there is none. */
export function newProvider(body: z.output<typeof providerCreation>, createdAt: number): ProviderRecord {
  return withAddress({
    id: crypto.randomUUID(),
    name: body.name,
    kind: body.kind,
    baseUrl: body.base_url,
    credential: body.credential === null ? null : new Secret(body.credential),
    headers: body.headers,
    timeouts: timeoutsFromWire(body.timeouts),
    options: mergedOptions({}, body.options),
    reasoning: body.reasoning,
    maxConcurrent: body.max_concurrent,
    servers: body.servers,
    enabled: body.enabled,
    declared: false,
    createdAt,
  })
}

/** What the change means for this record. Answers 422 like `newProvider`, and for secrets that would go elsewhere. */
export function providerPatch(before: ProviderRecord, body: z.output<typeof providerChange>): ProviderPatch {
  const patch: ProviderPatch = {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.kind !== undefined && { kind: body.kind }),
    ...(body.base_url !== undefined && { baseUrl: body.base_url }),
    ...(body.credential !== undefined && { credential: body.credential === null ? null : new Secret(body.credential) }),
    ...(body.headers && { headers: mergedHeaders(before.headers, body.headers) }),
    ...(body.timeouts && { timeouts: timeoutsFromWire(body.timeouts) }),
    ...(body.options && { options: mergedOptions(before.options, body.options) }),
    ...(body.reasoning !== undefined && { reasoning: body.reasoning }),
    ...(body.max_concurrent !== undefined && { maxConcurrent: body.max_concurrent }),
    ...(body.servers !== undefined && { servers: body.servers }),
    ...(body.enabled !== undefined && { enabled: body.enabled }),
  }
  requireSecretsAgain(before, withAddress({ ...before, ...patch }), body)
  return patch
}

/** Header names have no case: setting `X-Team` replaces `x-team`. */
function mergedHeaders(
  before: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const changed = new Set(Object.keys(changes).map((header) => header.toLowerCase()))
  const kept = Object.entries(before).filter(([header]) => !changed.has(header.toLowerCase()))
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries([...kept, ...set])
}

type ProviderOptions = ProviderRecord['options']

function mergedOptions(before: ProviderOptions, changes: ProviderOptions): ProviderOptions {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null))
}

function withAddress(record: ProviderRecord): ProviderRecord {
  if (record.servers !== null && !mayHaveServers(record.kind)) {
    const message = `"servers": a provider of kind "${record.kind}" has one address. Leave it out, or use another kind.`
    throw new ApiError('validation_failed', { param: 'servers', message })
  }
  if (record.baseUrl !== '' || providerKinds[record.kind]?.needsBaseUrl === false) return record
  const message = `"base_url": a provider of kind "${record.kind}" needs one, for example http://127.0.0.1:11434/v1.`
  throw new ApiError('validation_failed', { param: 'base_url', message })
}

export const providerKindAnswer = z
  .strictObject({ kind: z.string(), description: z.string(), needs_base_url: z.boolean() })
  .meta({ id: 'ProviderKind' })

/** A kind of provider as the API shows it. */
export function kindOnWire(kindName: string): z.input<typeof providerKindAnswer> {
  const known = providerKinds[kindName]
  return { kind: kindName, description: known?.description ?? '', needs_base_url: known?.needsBaseUrl ?? true }
}

export const providerPresetAnswer = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    kind: z.string(),
    place: z.enum(['local', 'vendor']).describe('local: a server that usually runs on the machine of this one'),
    base_url: z.string().describe('Its usual address'),
    headers: z.record(z.string(), z.string()).describe('What the service wants besides the credential'),
  })
  .meta({ id: 'ProviderPreset' })

/** A preset as the API shows it. */
export function presetOnWire(preset: ProviderPreset): z.input<typeof providerPresetAnswer> {
  const { name: presetName, title, kind: presetKind, place } = preset
  return {
    name: presetName,
    title,
    kind: presetKind,
    place,
    base_url: presetBaseUrl(preset),
    headers: place === 'vendor' ? { ...preset.headers } : {},
  }
}
