/**
 * What the claims of a user mean here. The claims have been verified; their form is still the
 * issuer's own. Pure: no settings, no store.
 */
import { readEmail } from '#config/settings/formats.ts'
import { everyoneGroupId, type Group } from '#identity/records.ts'

/** Claims by name, of the ID token and the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>

/** A user as the issuer describes them. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  /** In lower case; null when there is none that could be one. */
  readonly email: string | null
  readonly emailVerified: boolean
  /** One line of at most 200 characters; may be empty. */
  readonly name: string
  /** Values of the groups claim. */
  readonly groups: readonly string[]
}

/** The user of these claims; null when they name no subject that could be kept. */
export function personOf(claims: Claims, groupsClaim: string): Person | null {
  const { iss: issuer, sub: subject, email, email_verified: emailVerified, name } = claims
  // OpenID Connect Core 1.0, 2: at most 255 ASCII characters.
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !/^[ -~]{1,255}$/.test(subject)) return null
  const address = typeof email === 'string' && !/\p{Cc}/u.test(email) ? readEmail(email) : null
  return {
    issuer,
    subject,
    email: address,
    // Some issuers write the boolean as a text.
    emailVerified: emailVerified === true || emailVerified === 'true',
    name: typeof name === 'string' ? oneLine(name) : '',
    groups: textsOf(claimAt(claims, groupsClaim)),
  }
}

/** Whether the claims hold this one, by its name or by a path of names with dots. */
export function hasClaim(claims: Claims, path: string): boolean {
  return claimAt(claims, path) !== undefined
}

/** The name itself comes first: claims of some issuers are URLs, which have dots too. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.slice(0, 200).toWellFormed().trim()
}

/**
 * Ids of the groups that these values stand for. A value stands for the group that the map names,
 * else for the group of its own name; there may be none.
 */
export function groupIdsOf(
  values: readonly string[],
  map: Readonly<Record<string, string>>,
  groups: readonly Group[],
): readonly string[] {
  const names = new Set(values.map((value) => (Object.hasOwn(map, value) ? map[value] : value)))
  return groups.filter(({ id, name }) => names.has(name) && id !== everyoneGroupId).map(({ id }) => id)
}

/** Whether an address is of one of these domains; an empty list allows all. */
export function isAllowedDomain(email: string, domains: readonly string[]): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.length === 0 || domains.some((allowed) => allowed.replace(/^@/, '').toLowerCase() === domain)
}
