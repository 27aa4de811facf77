/**
 * From request headers to a caller. Pure: reads the directory and nothing else.
 *
 * The key is taken from `Authorization: Bearer` (scheme in any case, RFC 9110 section 11.1) or the password
 * of HTTP Basic (clients of the document service), from `x-api-key` (clients of the Anthropic dialect) or from
 * `api-key` (Azure's clients), or for a WebSocket of a page, which has no headers, from a
 * protocol that it offers. A request may send the same key several times, but not two keys.
 */
import { digestKey, isWellFormedKey } from './api-key.ts'
import { isClientSecret, type ClientSecrets } from './client-secret.ts'
import type { Directory } from './directory.ts'
import type { ApiKey, Caller, ClientGrant, KeyArea } from './records.ts'

/** A caller who showed a key. */
export interface KeyCaller extends Caller {
  readonly key: ApiKey
}

export type Authentication =
  | { readonly kind: 'caller'; readonly caller: KeyCaller }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' }
  /** Two headers hold different credentials: none of them is looked up. */
  | { readonly kind: 'conflicting' }
  /** The key or its user has changed in the store, and memory may hold what was before. */
  | { readonly kind: 'in_doubt' }

export interface AuthenticateDeps {
  readonly directory: Directory
  readonly clientSecrets: ClientSecrets
}

/** Who sent these headers, as of now. A key of a disabled or deleted user is as invalid as none. */
export function authenticateKey(
  headers: Headers,
  { directory, clientSecrets }: AuthenticateDeps,
  now: number,
): Authentication {
  const secret = keyFromHeaders(headers)
  if (secret === null) return { kind: 'missing' }
  if (secret === conflicting) return { kind: 'conflicting' }
  const digest = digestOf(secret)
  if (digest === null) {
    const grant = isClientSecret(secret) ? clientSecrets.open(secret, now) : null
    return grant === null ? { kind: 'invalid' } : ownerOf(directory.key(grant.keyId), directory, now, grant)
  }
  const key = directory.keyByDigest(digest)
  const isOldSecret = key !== undefined && key.previous !== null && key.digest !== digest
  if (isOldSecret && key.previous.until <= now && !directory.isKeyInDoubt(key)) return { kind: 'invalid' }
  return ownerOf(key, directory, now)
}

function ownerOf(key: ApiKey | undefined, directory: Directory, now: number, grant?: ClientGrant): Authentication {
  if (directory.isKeyInDoubt(key)) return { kind: 'in_doubt' }
  if (key === undefined || (key.expiresAt !== null && key.expiresAt <= now)) return { kind: 'invalid' }
  const account = directory.account(key.userId)
  if (directory.isAccountInDoubt(account)) return { kind: 'in_doubt' }
  if (account === undefined || account.user.disabled) return { kind: 'invalid' }
  return { kind: 'caller', caller: grant === undefined ? { account, key } : { account, key, grant } }
}

/** A caller of a while ago with the rights of now; null when the key or the user is gone, disabled or expired. */
export function callerNow({ account, key }: Caller, directory: Directory, now: number): Caller | null {
  const current = directory.account(account.user.id)
  if (current === undefined || current.user.disabled) return null
  if (key === null) return { account: current, key }
  const ownKey = directory.key(key.id)
  return ownKey === undefined || (ownKey.expiresAt !== null && ownKey.expiresAt <= now)
    ? null
    : { account: current, key: ownKey }
}

/** Whether the caller's key, if there is one, may be used for this part of the API. */
export function mayUseArea(caller: Caller, area: KeyArea): boolean {
  const areas = caller.key?.scopes.areas ?? null
  return areas === null || areas.includes(area)
}

/**
 * Digests of keys that were shown lately: hashing is a third of the check. Whether a key is valid is looked up each time.
 */
const digests = new Map<string, string>()
const digestsMax = 1000

/** Null for what does not have the form of a key. */
function digestOf(secret: string): string | null {
  const known = digests.get(secret)
  if (known !== undefined) return known
  if (!isWellFormedKey(secret)) return null
  const digest = digestKey(secret)
  if (digests.size >= digestsMax) digests.clear()
  digests.set(secret, digest)
  return digest
}

const conflicting = Symbol('conflicting')

function keyFromHeaders(headers: Headers): string | null | typeof conflicting {
  const first = keyFromAuthorization(headers.get('authorization'))
  const second = headers.get('x-api-key') || null
  const third = headers.get('api-key') || null
  const fourth = keyFromProtocols(headers.get('sec-websocket-protocol'))
  const secret = first ?? second ?? third ?? fourth
  return differs(second, secret) || differs(third, secret) || differs(fourth, secret) ? conflicting : secret
}

function differs(other: string | null, secret: string | null): boolean {
  return other !== null && other !== secret
}

const keyProtocol = 'openai-insecure-api-key.'

/** As OpenAI's client in a page sends it: one of the protocols that it offers. */
function keyFromProtocols(protocols: string | null): string | null {
  if (protocols === null) return null
  const offered = protocols.split(',').map((each) => each.trim())
  return offered.find((each) => each.startsWith(keyProtocol))?.slice(keyProtocol.length) || null
}

const usualScheme = 'Bearer '

/** Whether there is nothing at this place, or something that is not visible. */
function isBlank(text: string, at: number): boolean {
  return !(text.charCodeAt(at) > 0x20 && text.charCodeAt(text.length - 1) > 0x20)
}

function keyFromAuthorization(authorization: string | null): string | null {
  if (authorization === null) return null
  // As almost all clients write it, without a text for each part.
  if (authorization.startsWith(usualScheme) && !isBlank(authorization, usualScheme.length))
    return authorization.slice(usualScheme.length)
  const space = authorization.indexOf(' ')
  if (space <= 0) return null
  const scheme = authorization.slice(0, space).toLowerCase()
  const credentials = authorization.slice(space + 1).trim()
  if (scheme === 'bearer') return credentials || null
  return scheme === 'basic' ? basicPassword(credentials) : null
}

function basicPassword(credentials: string): string | null {
  const userAndPassword = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = userAndPassword.indexOf(':')
  return colon < 0 ? null : userAndPassword.slice(colon + 1)
}
