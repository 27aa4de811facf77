/**
 * One OpenID Connect issuer of the settings, by openid-client: where it sends people, and who
 * the person is that comes back from it. It is looked up when it is first needed and again from time
 * to time, so that an issuer that is down keeps neither the server nor passwords from working.
 *
 * Verified here, for every sign-in: state, nonce, PKCE, issuer, audience, expiry, and the signature
 * of the ID token against the issuer's published keys.
 */
import type { ClientAuth, Configuration } from 'openid-client'
import { readHttpUrl } from '#config/settings/formats.ts'
import type { Clock } from '#lib/clock.ts'
import { hasClaim, type Claims } from './claims.ts'
import type { ConfiguredIssuer, IssuerSettings } from './issuer-settings.ts'
import type { PendingSignIn } from './pending.ts'
import { OidcRefusal, type OidcRefusalCode } from './refusal.ts'

type Library = typeof import('openid-client')

/** What a new sign-in needs. */
export interface Begun extends Pick<PendingSignIn, 'state' | 'nonce' | 'verifier'> {
  /** Where the browser goes. */
  readonly url: URL
}

interface Found {
  readonly configuration: Configuration
  readonly at: number
}

const timeoutSeconds = 10
/** An issuer's addresses change rarely; its keys are looked up again whenever one is unknown. */
const keptMs = 3_600_000
/** After a failure the issuer is left alone for this long: people press the button again and again. */
const pauseMs = 3000

export class OidcIssuer {
  /** The part of its addresses here; empty for the first issuer. */
  readonly name: string
  readonly #settings: () => IssuerSettings | null
  readonly #clock: Clock
  #found: Found | null = null
  #failure: { readonly refusal: OidcRefusal; readonly at: number } | null = null
  #finding: Promise<Configuration> | null = null

  constructor({ name, read }: ConfiguredIssuer, clock: Clock) {
    this.name = name
    this.#settings = read
    this.#clock = clock
  }

  /** The settings of this moment; null when it is not configured. */
  get settings(): IssuerSettings | null {
    return this.#settings()
  }

  /** The settings of this moment. Throws OidcRefusal when it is not configured. */
  get configured(): IssuerSettings {
    const settings = this.#settings()
    if (settings === null) throw new OidcRefusal('oidc_not_configured')
    return settings
  }

  /** Begins a sign-in that comes back to this address. Throws OidcRefusal when the issuer cannot be used. */
  async begin(redirectUri: string): Promise<Begun> {
    const configuration = await this.#configuration()
    const client = await library()
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: [...new Set(['openid', ...this.configured.scopes])].join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return { state, nonce, verifier, url }
  }

  /**
   * The verified claims of who comes back. Throws OidcRefusal.
   * @param query with which the issuer led the browser back
   */
  async claims(pending: PendingSignIn, query: URLSearchParams): Promise<Claims> {
    const configuration = await this.#configuration()
    const client = await library()
    const callback = new URL(pending.redirectUri)
    callback.search = query.toString()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new OidcRefusal('oidc_failed')
      if (!this.#needsUserInfo(configuration, claims)) return claims
      // What the ID token says is signed, so it wins.
      return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
    } catch (thrown) {
      if (thrown instanceof OidcRefusal) throw thrown
      throw new OidcRefusal(codeOf(client, thrown), thrown)
    }
  }

  /** Many issuers keep what an access token can ask for out of the ID token. OpenID Connect Core 1.0, 5.4. */
  #needsUserInfo(configuration: Configuration, claims: Claims): boolean {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return false
    const { groupsClaim, trustEmail } = this.configured
    const wanted = ['email', groupsClaim]
    if (!trustEmail) wanted.push('email_verified')
    return wanted.some((claim) => !hasClaim(claims, claim))
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#clock.elapsed()
    if (this.#found !== null && now - this.#found.at < keptMs) return this.#found.configuration
    if (this.#failure !== null && now - this.#failure.at < pauseMs) {
      if (this.#found !== null) return this.#found.configuration
      throw this.#failure.refusal
    }
    this.#finding ??= this.#find().finally(() => (this.#finding = null))
    return this.#finding
  }

  /** What was found before is good enough when the issuer does not answer now. */
  async #find(): Promise<Configuration> {
    try {
      const configuration = await discover(this.configured)
      this.#found = { configuration, at: this.#clock.elapsed() }
      this.#failure = null
      return configuration
    } catch (thrown) {
      const refusal = thrown instanceof OidcRefusal ? thrown : new OidcRefusal('oidc_unavailable', thrown)
      this.#failure = { refusal, at: this.#clock.elapsed() }
      if (this.#found !== null) return this.#found.configuration
      throw refusal
    }
  }
}

/** Loaded at the first sign-in of this kind: most servers never need it. */
export function library(): Promise<Library> {
  return import('openid-client')
}

/** This server as a client of an issuer. */
export type Client = Pick<IssuerSettings, 'issuer' | 'clientId' | 'clientSecret'>

/** Reads the discovery document. Throws what went wrong. */
export async function discover({ issuer, clientId, clientSecret }: Client): Promise<Configuration> {
  const client = await library()
  const secret = clientSecret?.reveal()
  const configuration = await client.discovery(
    new URL(`${issuer}/.well-known/openid-configuration`),
    clientId,
    {},
    secret === undefined ? client.None() : secretBearer(client, secret),
    {
      timeout: timeoutSeconds,
      execute: [
        client.enableNonRepudiationChecks,
        // Only an issuer on this machine has such an address.
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  const { issuer: named } = configuration.serverMetadata()
  // Otherwise the server at that address could speak for another issuer, or, as Entra's "common" does, for all tenants.
  if (readHttpUrl(named) !== issuer)
    throw new Error(
      `The issuer of the settings is ${issuer}, but the server there calls itself ${named.slice(0, 200)}.`,
    )
  return configuration
}

/** Sends the secret in the way that the issuer says it takes; RFC 8414 has Basic where it says nothing. */
function secretBearer(client: Library, secret: string): ClientAuth {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, metadata, body, headers) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
    return (takesPost ? post : basic)(server, metadata, body, headers)
  }
}

/** Errors of the issuer that say: not now. RFC 6749, 4.1.2.1. */
const notNow: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

function codeOf(client: Library, thrown: unknown): OidcRefusalCode {
  if (thrown instanceof client.AuthorizationResponseError) {
    if (thrown.error === 'access_denied') return 'oidc_denied'
    return notNow.has(thrown.error) ? 'oidc_unavailable' : 'oidc_failed'
  }
  const { code, cause } = thrown as { readonly code?: unknown; readonly cause?: unknown }
  if (cause instanceof Response && cause.status >= 500) return 'oidc_unavailable'
  // A connection that failed has another code, or none.
  const isVerdict = typeof code === 'string' && code.startsWith('OAUTH_') && code !== 'OAUTH_TIMEOUT'
  return isVerdict ? 'oidc_failed' : 'oidc_unavailable'
}

/** What went wrong, for the log: names and messages, without the tokens and claims that the library adds. */
export function reasonOf(thrown: unknown): string {
  const parts: string[] = []
  for (let each = thrown; each instanceof Error && parts.length < 5; each = each.cause) {
    const { error, error_description: description } = each as { error?: unknown; error_description?: unknown }
    parts.push([each.message, error, description].filter((part) => typeof part === 'string' && part !== '').join(' '))
  }
  return parts.join(': ').slice(0, 1000)
}
