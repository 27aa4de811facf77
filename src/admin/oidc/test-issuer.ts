/**
 * Tests an issuer as a sign-in would use it, up to the point where a person is needed: its discovery document, its keys,
 * and whether it knows this server by its id and secret. Nothing is stored, and no secret is in an answer.
 */
import type { Configuration } from 'openid-client'
import { discover, library, reasonOf, type Client } from './issuer.ts'

export interface IssuerCheck {
  readonly name: 'address' | 'keys' | 'client' | 'methods' | 'callback'
  /** A warning does not keep people from signing in. */
  readonly outcome: 'ok' | 'warning' | 'failed'
  readonly message: string
}

export interface IssuerTest extends Client {
  /** Where the issuer has to send people back to; null when `server.public_url` is needed and not set. */
  readonly callback: string | null
  readonly scopes: readonly string[]
  readonly signal: AbortSignal
}

const keysTimeoutMs = 10_000
/** No issuer has ever given it out. */
const unknownCode = 'sluice-connection-test'

/** The checks in their order; after an address that fails there are no others of the issuer. */
export async function testIssuer(test: IssuerTest): Promise<readonly IssuerCheck[]> {
  const callback = callbackCheck(test)
  let configuration: Configuration
  try {
    configuration = await discover(test)
  } catch (thrown) {
    return [{ name: 'address', outcome: 'failed', message: addressText(test, thrown) }, callback]
  }
  const found = { name: 'address', outcome: 'ok', message: 'The issuer answers, and calls itself as you do.' } as const
  return [
    found,
    await keysCheck(configuration, test),
    methodsCheck(configuration, test),
    await clientCheck(configuration, test),
    callback,
  ]
}

function addressText({ issuer }: IssuerTest, thrown: unknown): string {
  const { cause } = thrown as { readonly cause?: unknown }
  const document = `${issuer}/.well-known/openid-configuration`
  if (cause instanceof Response) {
    return cause.status === 404
      ? `${document} does not exist (404). Is the address complete? Many issuers have a realm or a tenant in it.`
      : `${document} answered ${cause.status}. Try again later, or ask the administrator of the issuer.`
  }
  const reason = reasonOf(thrown)
  if (/calls itself/.test(reason)) return `${reason} Enter that address, exactly as the issuer writes it.`
  if (/timed? ?out|abort/i.test(reason)) return 'The issuer did not answer within 10 seconds. Does a firewall allow it?'
  if (/certificate|self.signed|tls|ssl/i.test(reason))
    return 'The certificate of the issuer is not trusted by this machine. Add its authority with NODE_EXTRA_CA_CERTS.'
  if (/json|unexpected|content.type/i.test(reason))
    return `What ${document} answers is not a discovery document of OpenID Connect.`
  return `Nothing answers at ${issuer}. Is the address right, and can this machine reach it?`
}

async function keysCheck(configuration: Configuration, { signal }: IssuerTest): Promise<IssuerCheck> {
  const { jwks_uri: uri } = configuration.serverMetadata()
  const failed = (message: string): IssuerCheck => ({ name: 'keys', outcome: 'failed', message })
  if (uri === undefined)
    return failed('The discovery document names no keys ("jwks_uri"), so no sign-in can be verified.')
  try {
    const answer = await fetch(uri, { signal: AbortSignal.any([signal, AbortSignal.timeout(keysTimeoutMs)]) })
    const { keys } = (await answer.json()) as { readonly keys?: readonly unknown[] }
    if (!answer.ok || !Array.isArray(keys) || keys.length === 0)
      return failed(`The keys of the issuer (${uri}) cannot be read: it answered ${answer.status} without keys.`)
    return { name: 'keys', outcome: 'ok', message: 'Its keys, with which sign-ins are verified, can be read.' }
  } catch {
    signal.throwIfAborted()
    return failed(`The keys of the issuer (${uri}) cannot be read. Can this machine reach that address?`)
  }
}

function methodsCheck(configuration: Configuration, { scopes }: IssuerTest): IssuerCheck {
  const { scopes_supported: known, code_challenge_methods_supported: methods } = configuration.serverMetadata()
  const missing = known === undefined ? [] : scopes.filter((scope) => !known.includes(scope))
  const warning = (message: string): IssuerCheck => ({ name: 'methods', outcome: 'warning', message })
  if (missing.length > 0)
    return warning(`The issuer does not list the scope ${missing.join(', ')}, which auth.oidc.scopes asks for.`)
  if (methods !== undefined && !methods.includes('S256'))
    return warning('The issuer does not list PKCE with S256, which this server always uses. It may ignore it.')
  return { name: 'methods', outcome: 'ok', message: 'It has the scopes that are asked for.' }
}

/** A code that cannot exist: an issuer that knows the client says so of the code, and else of the client. */
async function clientCheck(configuration: Configuration, { callback, signal }: IssuerTest): Promise<IssuerCheck> {
  const check = (outcome: IssuerCheck['outcome'], message: string): IssuerCheck => ({
    name: 'client',
    outcome,
    message,
  })
  const client = await library()
  try {
    await client.genericGrantRequest(configuration, 'authorization_code', {
      code: unknownCode,
      code_verifier: client.randomPKCECodeVerifier(),
      redirect_uri: callback ?? 'http://127.0.0.1/callback',
    })
  } catch (thrown) {
    signal.throwIfAborted()
    const { error } = thrown as { readonly error?: unknown }
    if (error === 'invalid_grant') return check('ok', 'It knows this server by its client id and secret.')
    if (error === 'invalid_client' || error === 'unauthorized_client')
      return check(
        'failed',
        'The issuer does not accept the client id with this secret. Copy both again from the issuer.',
      )
    if (typeof error === 'string')
      return check(
        'warning',
        `The issuer refused the test with "${error.slice(0, 100)}": the client could not be checked.`,
      )
    return check('failed', 'The token address of the issuer does not answer as OAuth 2.0 says. Try again later.')
  }
  return check('failed', 'The issuer gave tokens for a code that it never issued. Do not use it.')
}

function callbackCheck({ callback }: IssuerTest): IssuerCheck {
  return callback === null
    ? {
        name: 'callback',
        outcome: 'failed',
        message: 'The issuer cannot send people back: set server.public_url to the address of this server.',
      }
    : { name: 'callback', outcome: 'ok', message: `Allow this address for the client at the issuer: ${callback}` }
}
