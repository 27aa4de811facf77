/**
 * Texts with a form of their own: addresses, keys, e-mail. One function each, from what was written
 * to the one spelling that the rest of Sluice sees. No look-ups: a name need not resolve.
 */
import { isIP } from 'node:net'
import { readNetwork } from '#lib/ip-network.ts'
import { isHourTimeZone } from '#lib/time-zone.ts'
import { isPattern, patternStatesMax } from '#lib/regex/pattern-search.ts'
import { readExternalReaders } from './external-readers.ts'
import { readOidcIssuers } from './oidc-issuers.ts'
import { readRateRule } from './rate-rule.ts'

export type FormatName =
  | 'host'
  | 'http-url'
  | 'issuer'
  | 'oidc-issuers'
  | 'external-readers'
  | 'database-url'
  | 'valkey-url'
  | 'rate-limit'
  | 'key-32'
  | 'email'
  | 'network'
  | 'origin'
  | 'currency'
  | 'redaction'
  | 'hour-time-zone'
  | 'ocr-language'
  | 'export-format'
  | 'redaction-pattern'

interface Format {
  /** What is allowed, as the object of "expected". */
  readonly expected: string
  /** The value in its one spelling, or null when it is not of this form. */
  readonly read: (text: string) => string | null
}

/** The forms by name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  host: { expected: 'an IP address or a host name, without scheme or port', read: readHost },
  'http-url': { expected: 'an http:// or https:// address without user, query or fragment', read: readHttpUrl },
  issuer: {
    expected: 'the https:// address of an issuer, without user, query or fragment (http:// only on this machine)',
    read: readIssuer,
  },
  'oidc-issuers': {
    expected: 'a list of issuers, each with its own name (lower-case letters, digits and -), issuer and client_id',
    read: (text) => readOidcIssuers(text, readIssuer),
  },
  'external-readers': {
    expected:
      'a list of readers, each with its own name (lower-case letters, digits and -, not that of a built-in reader), kind (docling, tika or unstructured), url and types (pdf, image/*)',
    read: (text) => readExternalReaders(text, readHttpUrl),
  },
  'database-url': { expected: 'postgres://user:password@host:port/database or sqlite:path', read: readDatabaseUrl },
  'valkey-url': { expected: 'valkey://:password@host:port (or valkeys://, redis://, rediss://)', read: readValkeyUrl },
  'rate-limit': {
    expected: 'rules such as "user:* requests 60/minute" or "user:* model:NAME tokens 100000/minute burst 20000"',
    read: (text) => readRateRule(text)?.text ?? null,
  },
  'key-32': { expected: '32 bytes as base64 or as 64 hexadecimal digits', read: readKey },
  email: { expected: 'an e-mail address', read: readEmail },
  'ocr-language': {
    expected: 'a name of language data such as eng, deu or chi_sim',
    read: (text) => (/^[a-z]{3}(?:_[a-z]{2,6}){0,2}$/i.test(text) ? text : null),
  },
  currency: {
    expected: 'a currency code of three letters such as EUR',
    read: (text) => (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : null),
  },
  'hour-time-zone': {
    expected: 'a time zone such as Europe/Berlin, whole hours from UTC',
    read: (text) => (isHourTimeZone(text) ? text : null),
  },
  'export-format': {
    expected: 'csv or parquet',
    read: (text) => (text === 'csv' || text === 'parquet' ? text : null),
  },
  redaction: {
    expected: 'secrets, email or cards',
    read: (text) => (['secrets', 'email', 'cards'].includes(text) ? text : null),
  },
  'redaction-pattern': {
    expected: `regular expressions of at most ${patternStatesMax} characters with their counts written out, without look-around`,
    read: (text) => (isPattern(text) ? text : null),
  },
  origin: { expected: 'origins as browsers send them, such as https://app.example.com, or "*"', read: readOrigin },
  network: {
    expected: 'IP addresses or networks such as 10.0.0.0/8',
    read: (text) => (readNetwork(text) === null ? null : text),
  },
}

/** The bare address or name; brackets around IPv6 are taken off. */
function readHost(text: string): string | null {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) return host
  return host.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/.test(host) ? host : null
}

/** Exactly as browsers send it: scheme, host, and a port that is not the scheme's own. */
function readOrigin(text: string): string | null {
  if (text === '*' || text === 'null') return text
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,A-Z]+$/.test(text) || !URL.canParse(text)) return null
  const { origin } = new URL(text)
  return origin === 'null' || origin === text ? text : null
}

/** The address without a trailing slash, so that a path can be appended to it. */
export function readHttpUrl(text: string): string | null {
  if (!/^https?:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return null
  return url.href.replace(/\/+$/, '')
}

const discoverySuffix = '/.well-known/openid-configuration'

/**
 * The issuer's address without a trailing slash, also from that of its discovery document. Anyone on
 * the way could answer for an issuer over http.
 */
function readIssuer(text: string): string | null {
  const address = readHttpUrl(text.endsWith(discoverySuffix) ? text.slice(0, -discoverySuffix.length) : text)
  if (address === null) return null
  return address.startsWith('https:') || isLoopbackHost(new URL(address).hostname) ? address : null
}

/** Whether a host, as `URL.hostname` spells it, is this machine itself. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d+){3}$/.test(host) || host === '[::1]'
}

function readDatabaseUrl(text: string): string | null {
  if (/^sqlite:[^\s]/.test(text)) return text
  return /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : null
}

function readValkeyUrl(text: string): string | null {
  return /^(valkey|redis)s?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : null
}

/** The key as standard padded base64, whichever way it was written. */
function readKey(text: string): string | null {
  const key = text.trim()
  if (/^[0-9a-f]{64}$/i.test(key)) return Buffer.from(key, 'hex').toString('base64')
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(key)) return null
  const bytes = Buffer.from(key, 'base64')
  return bytes.length === 32 ? bytes.toString('base64') : null
}

/** In lower case. Deliberately lenient: `admin@localhost` is an address too. */
export function readEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null
}
