/**
 * Why a sign-in by OpenID Connect ended without a session. The browser is in the middle of a
 * navigation then, so it is led to the sign-in page with the code; the console words it for people,
 * and the log has the rest.
 */

/** Every code with what is meant by it; docs/access.md lists them too. */
export const oidcRefusals = {
  oidc_not_configured: 'This server has no issuer to sign in with.',
  oidc_public_url_missing: 'server.public_url is not set, so that the issuer could not lead back here.',
  oidc_unavailable: 'The issuer cannot be reached, or answers with errors.',
  oidc_expired: 'The sign-in took too long, was begun in another browser or at another address, or is already over.',
  oidc_denied: 'The user or the issuer refused.',
  oidc_failed: 'What the issuer sent could not be verified.',
  oidc_email_missing: 'The issuer tells no e-mail address.',
  oidc_email_unverified: 'The issuer has not verified the e-mail address.',
  oidc_domain_denied: 'The domain of the e-mail address is not among those that may sign in.',
  oidc_no_account: 'There is no account with this e-mail address, and none is created.',
  oidc_account_taken: 'The account with this e-mail address belongs to another user of the issuer.',
  oidc_account_disabled: 'The account is disabled.',
  store_unavailable: 'The database cannot be reached.',
} as const

export type OidcRefusalCode = keyof typeof oidcRefusals

/** Ends a sign-in; the cause goes to the log and nowhere else. */
export class OidcRefusal extends Error {
  readonly code: OidcRefusalCode

  constructor(code: OidcRefusalCode, cause?: unknown) {
    super(oidcRefusals[code], cause === undefined ? undefined : { cause })
    this.name = 'OidcRefusal'
    this.code = code
  }
}
