/**
 * OpenID Connect issuers beside the first one, as the setting `auth.oidc.more` has them: a list of mappings in the file, or
 * the same as JSON. They have client secrets in them, so the setting as a whole is a secret.
 */
import { z } from '#lib/schema.ts'

const text = z.string().trim().min(1).max(1000)
const texts = z.array(text).max(1000)

const issuerSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  issuer: text,
  client_id: text,
  client_secret: text.nullable().default(null),
  scopes: texts.default(['openid', 'profile', 'email']),
  button_label: text.optional(),
  auto_create: z.boolean().default(true),
  allowed_domains: texts.default([]),
  trust_email: z.boolean().default(false),
  groups_claim: text.default('groups'),
  group_map: z.record(z.string(), text).default({}),
  admin_groups: texts.default([]),
})

const listSchema = z.array(issuerSchema).min(1).max(20)

export type OidcIssuerEntry = z.output<typeof issuerSchema>

/** What a name in the list must not be: the address of the first issuer has it already. */
const takenNames: ReadonlySet<string> = new Set(['callback'])

/** The list as JSON with its defaults; null when it is not of this form, or a name or an address is in it twice. */
export function readOidcIssuers(written: string, readIssuer: (address: string) => string | null): string | null {
  const list = issuersIn(written)
  if (list === null) return null
  const entries = list.map((entry) => ({ ...entry, issuer: readIssuer(entry.issuer) }))
  const isUnique = (values: readonly (string | null)[]): boolean => new Set(values).size === values.length
  if (entries.some(({ issuer, name }) => issuer === null || takenNames.has(name))) return null
  if (!isUnique(entries.map(({ name }) => name)) || !isUnique(entries.map(({ issuer }) => issuer))) return null
  return JSON.stringify(entries)
}

/** The issuers of a value that was read; none for a text of another form. */
export function oidcIssuers(value: string): readonly OidcIssuerEntry[] {
  return issuersIn(value) ?? []
}

function issuersIn(written: string): readonly OidcIssuerEntry[] | null {
  try {
    return listSchema.safeParse(JSON.parse(written)).data ?? null
  } catch {
    return null
  }
}
