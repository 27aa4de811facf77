/**
 * Takes credentials out of text before it is logged. Errs on the side of removing too much: a log
 * line that lost a word costs less than a key that is in it.
 */
import type { Secret } from '#lib/secret.ts'

const mark = '[secret]'

interface Rule {
  readonly pattern: RegExp
  readonly replacement: string
}

/** What the first rule leaves behind; later rules must let it stand. */
const shownKey = String.raw`sk-slu-[A-Za-z0-9]{8}_\[`

const rules: readonly Rule[] = [
  // Sluice's own keys keep their public id, so that a line can be traced to a key.
  {
    pattern: /(sk-slu-[A-Za-z0-9]{8})(?:_|%5f)(?!\[)[A-Za-z0-9_%-]*/gi,
    replacement: `$1_${mark}`,
  },
  // Header values. "Basic" needs a long value, or prose such as "basic authentication" would go.
  { pattern: new RegExp(String.raw`\b(Bearer)(?:\s|%20)+(?!${shownKey})[^\s"',;]+`, 'gi'), replacement: `$1 ${mark}` },
  { pattern: /\b(Basic)(?:\s|%20)+[A-Za-z0-9+/=_-]{16,}/gi, replacement: `$1 ${mark}` },
  // Keys of vendors by their published prefixes, and JSON web tokens.
  { pattern: new RegExp(`(?<![A-Za-z0-9])(?!${shownKey})sk-[A-Za-z0-9_-]{6,}`, 'g'), replacement: `sk-${mark}` },
  {
    pattern:
      /(?<![A-Za-z0-9])(gsk_|xai-|hf_|r8_|pplx-|nvapi-|csk-|tgp_|gh[opsu]_|github_pat_|AIza|AKIA)[A-Za-z0-9_-]{12,}/g,
    replacement: `$1${mark}`,
  },
  { pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, replacement: mark },
  // Passwords and tokens in addresses, and in JSON that is quoted as text.
  { pattern: /:\/\/[^\s/?#@"']+@/g, replacement: `://${mark}@` },
  {
    pattern: new RegExp(
      String.raw`([?&](?:api[-_]?key|key|token|access_token|password|secret|signature)=)(?!${shownKey})[^\s&#"']+`,
      'gi',
    ),
    replacement: `$1${mark}`,
  },
  {
    pattern: new RegExp(
      String.raw`("(?:(?:x-)?api[-_]?key|password|(?:client_)?secret|(?:access_|refresh_)?token)\\?"\s*:\s*\\?")(?!${shownKey})[^"\\]+`,
      'gi',
    ),
    replacement: `$1${mark}`,
  },
]

/** Something that every rule needs: most strings have none of it and are through after one look. */
const hint = /sk-|bearer|basic|gsk_|xai-|hf_|r8_|pplx-|nvapi-|tgp_|gh[opsu]_|github_pat_|AIza|AKIA|eyJ|:\/\/|[?&"]/i

/** Fields whose value is a credential whatever it looks like; compared without case, "-" and "_". */
const credentialFields = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'apikey',
  'xapikey',
  'credential',
  'password',
  'passwd',
  'secret',
  'token',
  'accesstoken',
  'refreshtoken',
])

/** Shorter values occur in ordinary words: replacing them would garble the line and hide nothing. */
const knownSecretLengthMin = 6

/**
 * The text without anything that looks like a credential, and without the values of `known`.
 * A Sluice key keeps its public id (`sk-slu-abcd1234_[secret]`). Applying it twice changes nothing more.
 */
export function redact(text: string, known: Iterable<Secret> = []): string {
  let clean = text
  for (const secret of known) {
    const value = secret.reveal()
    if (value.length >= knownSecretLengthMin) clean = clean.replaceAll(value, mark)
  }
  if (!hint.test(clean)) return clean
  for (const { pattern, replacement } of rules) clean = clean.replace(pattern, replacement)
  return clean
}

/** Whether a field of this name holds a credential, so that its value is not to be looked at. */
export function isCredentialField(name: string): boolean {
  return credentialFields.has(name.replaceAll(/[-_]/g, '').toLowerCase())
}
