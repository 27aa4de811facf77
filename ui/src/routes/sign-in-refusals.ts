/** What the server's codes of refused sign-ins mean to whoever signs in; the list is in docs/access.md. */

const refusals: Readonly<Record<string, string>> = {
  oidc_not_configured: 'This server has no other way to sign in. Use e-mail address and password.',
  oidc_public_url_missing: 'An administrator has to set server.public_url before this way of signing in can be used.',
  oidc_unavailable: 'The sign-in service cannot be reached. Try again, or use e-mail address and password.',
  oidc_expired: 'The sign-in took too long or was begun elsewhere. Start again.',
  oidc_denied: 'The sign-in was refused or broken off. Start again, or choose another account.',
  oidc_failed: 'The answer of the sign-in service could not be verified. Try again, or tell an administrator.',
  oidc_email_missing: 'The sign-in service does not tell your e-mail address. Ask its administrator to release it.',
  oidc_email_unverified: 'The sign-in service has not verified your e-mail address. Verify it there first.',
  oidc_domain_denied: 'Addresses of your domain may not sign in here. Ask an administrator.',
  oidc_no_account: 'There is no account with your e-mail address. Ask an administrator for one.',
  oidc_account_taken:
    'The account with your e-mail address belongs to another user of the sign-in service. Ask an administrator.',
  oidc_account_disabled: 'Your account is disabled. Ask an administrator.',
  store_unavailable: 'The server cannot reach its database. Try again shortly.',
}

/** What to read for this code, and what to do next; of an unknown code only that it did not work. */
export function refusalText(code: string): string {
  return refusals[code] ?? 'Signing in did not work. Try again.'
}
