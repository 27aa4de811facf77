/**
 * Why a sign-in by OpenID Connect ended without a session. The browser is in the middle of a
 * navigation then, so it is led to the sign-in page with the code; the console words it for people,
 * and the log has the rest.
 */

/** Every code with what is meant by it; docs/access.md lists them too. */
export const oidcRefusals = {
  oidc_not_configured: 'No issuer is configured.',
  oidc_public_url_missing: 'server.public_url is not set, so the issuer cannot send the browser back.',
  oidc_unavailable: 'The issuer cannot be reached, or answers with errors.',
  oidc_expired: 'The sign-in took too long, began in another browser or at another address, or has ended already.',
  oidc_denied: 'The user or the issuer refused.',
  oidc_failed: 'What the issuer sent could not be verified.',
  oidc_email_missing: 'The issuer sends no e-mail address.',
  oidc_email_unverified: 'The issuer has not verified the e-mail address.',
  oidc_domain_denied: 'Users of this e-mail domain may not sign in.',
  oidc_no_account: 'No account has this e-mail address, and the server does not create one.',
  oidc_account_taken: 'The account with this e-mail address belongs to another user of the issuer, or to a program.',
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
