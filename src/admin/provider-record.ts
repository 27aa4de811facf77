/**
 * A provider as the admin API shows it and takes it. The credential and the values of headers go in
 * and never come out.
 */
import { z } from 'zod'
import type { ProviderRecord } from '#catalog/records.ts'
import { readHttpUrl } from '#config/formats.ts'
import { ApiError } from '#errors/api-error.ts'
import { Secret } from '#lib/secret.ts'
import { demoDescription } from '#providers/demo.ts'
import { providerKinds } from '#providers/registry.ts'
import type { ProviderPatch } from '#store/providers.ts'
import { instant, instantOf, name, timeouts, timeoutsFromWire, timeoutsOnWire } from './fields.ts'

export const providerAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string().describe('Shown as `owned_by` of its models'),
    kind: z.string(),
    base_url: z.string().describe('Empty for a kind without a server'),
    has_credential: z.boolean(),
    header_names: z.array(z.string()).describe('Further headers of every request; their values are not shown'),
    timeouts,
    enabled: z.boolean(),
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
  })
  .meta({ id: 'Provider' })

const kind = z.enum(providerKinds as [string, ...string[]])

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

export const providerCreation = z
  .strictObject({
    name,
    kind: kind.default('openai'),
    base_url: baseUrl.default(''),
    credential: headerValue.nullable().default(null).describe('Sent as the bearer token; never shown again'),
    headers: z.record(headerName, headerValue).default({}),
    timeouts: timeouts.default({}),
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
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'ProviderChange' })

export function providerOnWire(record: ProviderRecord): z.input<typeof providerAnswer> {
  return {
    id: record.id,
    name: record.name,
    kind: record.kind,
    base_url: record.baseUrl,
    has_credential: record.credential !== null,
    header_names: Object.keys(record.headers).sort(),
    timeouts: timeoutsOnWire(record.timeouts),
    enabled: record.enabled,
    declared: record.declared,
    created_at: instantOf(record.createdAt),
  }
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
    enabled: body.enabled,
    declared: false,
    createdAt,
  })
}

/** What the change means for this record. Answers 422 like `newProvider`. */
export function providerPatch(before: ProviderRecord, body: z.output<typeof providerChange>): ProviderPatch {
  const patch: ProviderPatch = {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.kind !== undefined && { kind: body.kind }),
    ...(body.base_url !== undefined && { baseUrl: body.base_url }),
    ...(body.credential !== undefined && { credential: body.credential === null ? null : new Secret(body.credential) }),
    ...(body.headers && { headers: mergedHeaders(before.headers, body.headers) }),
    ...(body.timeouts && { timeouts: timeoutsFromWire(body.timeouts) }),
    ...(body.enabled !== undefined && { enabled: body.enabled }),
  }
  withAddress({ ...before, ...patch })
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

function withAddress(record: ProviderRecord): ProviderRecord {
  if (record.baseUrl !== '' || !kindOf(record.kind).needs_base_url) return record
  const message = `"base_url": a provider of kind "${record.kind}" needs one, for example http://127.0.0.1:11434/v1.`
  throw new ApiError('validation_failed', { param: 'base_url', message })
}

export const providerKindAnswer = z
  .strictObject({ kind: z.string(), description: z.string(), needs_base_url: z.boolean() })
  .meta({ id: 'ProviderKind' })

const openaiDescription =
  'Any server that speaks the OpenAI API: OpenAI, Azure (v1), vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio, Groq, Mistral and many more.'

/** What there is to say of a kind; one that is not described here has a server. */
export function kindOf(kindName: string): z.input<typeof providerKindAnswer> {
  if (kindName === 'demo') return { kind: kindName, description: demoDescription, needs_base_url: false }
  return { kind: kindName, description: kindName === 'openai' ? openaiDescription : '', needs_base_url: true }
}
