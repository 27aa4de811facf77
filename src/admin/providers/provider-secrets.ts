/**
 * The secrets of a provider: which of its options are shown, and that none goes to another address
 * than the one that it was given for. Otherwise an administrator could read a stored credential at an
 * address of their own.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { JsonValue } from '#lib/json-value.ts'
import { isCredentialField } from '#observe/redact.ts'

/** Stands for a secret in an answer. */
export const shownSecret = '[secret]'

/** The value as it may be shown: nothing of a field whose name says that it holds a secret. */
export function withoutSecrets(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Array) return value.map(withoutSecrets)
  const shown = Object.entries(value).map(([field, inner]) => [
    field,
    isSecret(field) ? shownSecret : withoutSecrets(inner),
  ])
  return Object.fromEntries(shown) as JsonValue
}

function isSecret(field: string): boolean {
  return isCredentialField(field) || /secret|password|(token|key)$/i.test(field)
}

/** The parts of a change that can give a secret again, or remove it with null. */
interface GivenSecrets {
  readonly credential?: string | null | undefined
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

/** Answers 422 when the secrets would go to another server than before and are not all given again. */
export function requireSecretsAgain(before: ProviderRecord, after: ProviderRecord, given: GivenSecrets): void {
  const known = destinationsOf(before)
  if ([...destinationsOf(after)].every((destination) => known.has(destination))) return
  const missing = secretsOf(before).filter((path) => !isGiven(path, given))
  const [param] = missing
  if (param === undefined) return
  const names = missing.map((path) => `"${path}"`).join(', ')
  throw new ApiError('validation_failed', {
    param,
    message: `${names}: the provider would send this to another server than before. Give it again with the new address, or null to remove it.`,
  })
}

/** What decides which servers the requests reach: one text for each. */
function destinationsOf({ kind, baseUrl, options, servers }: ProviderRecord): ReadonlySet<string> {
  const urls = [baseUrl, ...(servers?.urls ?? [])].map((url) => (url === '' ? '' : new URL(url).origin))
  // The targets of SRV records may be under other names.
  const all = servers?.dns === 'srv' ? [...urls, `srv ${new URL(baseUrl).host}`] : urls
  return new Set(all.map((each) => JSON.stringify([kind, each, ...leadingOptions(kind, options)])))
}

/** The options that lead to another server, of the kinds that have some. */
function leadingOptions(kind: string, options: ProviderRecord['options']): readonly unknown[] {
  if (kind === 'ai-sdk') return [options['package'], options['factory'], options['settings']]
  const { region } = options
  // Every region of Bedrock belongs to one vendor; a text that is not a region could lead anywhere.
  return kind === 'bedrock' && !(typeof region === 'string' && /^[a-z0-9-]+$/.test(region)) ? [region] : []
}

function secretsOf({ credential, headers, options }: ProviderRecord): readonly string[] {
  const shown = withoutSecrets(options) as Readonly<Record<string, JsonValue>>
  const secretOptions = Object.keys(options).filter((option) => !Bun.deepEquals(options[option], shown[option]))
  return [
    ...(credential === null ? [] : ['credential']),
    ...Object.keys(headers).map((header) => `headers.${header}`),
    ...secretOptions.map((option) => `options.${option}`),
  ]
}

function isGiven(path: string, { credential, headers = {}, options = {} }: GivenSecrets): boolean {
  if (path === 'credential') return credential !== undefined
  const names = [
    ...Object.keys(headers).map((header) => `headers.${header}`),
    ...Object.keys(options).map((option) => `options.${option}`),
  ]
  // Header names have no case.
  return names.some((name) => name.toLowerCase() === path.toLowerCase())
}
