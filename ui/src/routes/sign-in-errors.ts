/** The messages for the server's codes of failed sign-ins, which docs/access.md lists. */

const signInErrors: Readonly<Record<string, string>> = {
  oidc_not_configured:
    'Single sign-on is not configured on this server. Sign in with your e-mail address and password.',
  oidc_public_url_missing: 'Single sign-on needs the setting server.public_url. Ask an administrator to set it.',
  oidc_unavailable:
    'The sign-in service cannot be reached. Try again, or sign in with your e-mail address and password.',
  oidc_expired: 'The sign-in expired, or it was started in another browser. Start again.',
  oidc_denied: 'The sign-in was refused or cancelled. Start again, or choose another account.',
  oidc_failed:
    'The response of the sign-in service could not be verified. Try again. If the error persists, tell an administrator.',
  oidc_email_missing: 'The sign-in service did not send your e-mail address. Ask its administrator to share it.',
  oidc_email_unverified:
    'The sign-in service has not verified your e-mail address. Verify it there, then sign in again.',
  oidc_domain_denied: 'The domain of your e-mail address is not allowed here. Ask an administrator.',
  oidc_no_account: 'There is no account with your e-mail address. Ask an administrator to create one.',
  oidc_account_taken:
    'The account with your e-mail address belongs to another user of the sign-in service. Ask an administrator.',
  oidc_account_disabled: 'Your account is disabled. Ask an administrator.',
  store_unavailable: 'The server cannot reach its database. Try again shortly.',
}

/** The message for a code: what happened and what to do. */
export function signInErrorText(code: string): string {
  return signInErrors[code] ?? 'The sign-in failed. Try again.'
}
