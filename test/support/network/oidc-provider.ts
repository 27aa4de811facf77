/**
 * A real OpenID Connect provider on a free port: discovery, keys, authorization, token and userinfo
 * endpoints, with RS256 keys of its own. It keeps to the rules (codes work once, redirect addresses,
 * client secrets and PKCE are checked) except where a test tells it to misbehave.
 */

/** Claims of whoever is signed in at the provider. */
export type PersonClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** How the provider behaves; what is left out is as it should be. */
export interface Misbehaviour {
  /** Changes the claims of the ID token before it is signed. */
  readonly claims?: (claims: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** `altered`: the claims are changed after signing. `foreign`: signed with a key that is not published. `none`: not signed. */
  readonly signature?: 'altered' | 'foreign' | 'none'
  /** What the authorization endpoint answers instead of a code. */
  readonly authorizationError?: string
  /** Status of every answer of the token endpoint. */
  readonly tokenStatus?: number
  /** How it calls itself in its discovery document. */
  readonly issuer?: string
}

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  readonly port: number
  readonly clientId: string
  readonly clientSecret: string
  /** Who is signed in there. */
  person: PersonClaims
  /** Claims that the ID token leaves to the userinfo endpoint. */
  userinfoOnly: readonly string[]
  misbehaviour: Misbehaviour
  /** Ways of sending the client secret; undefined says nothing about it. */
  authMethods: readonly string[] | undefined
  /** People have to press a link before they are led back. */
  interactive: boolean
  /** Every request so far: method and path. */
  readonly requests: readonly string[]
  /** Makes a new key; the old one is no longer published. */
  rotateKey(): Promise<void>
  close(): Promise<void>
}

export interface OidcProviderOptions {
  /** Any free one when left out. */
  readonly port?: number
  /** `localhost` is another site than 127.0.0.1 to a browser. */
  readonly host?: '127.0.0.1' | 'localhost'
}

interface Grant {
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string | null
  readonly person: PersonClaims
}

interface SigningKey {
  readonly id: string
  readonly pair: CryptoKeyPair
}

const clientId = 'sluice-test'
const clientSecret = 'a secret: with & odd % characters'

/** Starts it; disposing stops it. */
export async function startOidcProvider({
  port = 0,
  host = '127.0.0.1',
}: OidcProviderOptions = {}): Promise<OidcProvider> {
  let key = await makeKey()
  const requests: string[] = []
  const grants = new Map<string, Grant>()
  const tokens = new Map<string, PersonClaims>()

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const url = new URL(request.url)
      requests.push(`${request.method} ${url.pathname}`)
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return Response.json(discoveryDocument(provider))
        case '/keys':
          return Response.json({ keys: [await publicKey(key)] })
        case '/authorize':
          return authorize(provider, grants, url.searchParams)
        case '/token':
          return context(provider, { grants, tokens, key }, request)
        case '/userinfo':
          return userinfo(tokens, request)
        default:
          return new Response(null, { status: 404 })
      }
    },
  })
  const ownPort = server.port ?? 0
  const provider: OidcProvider = {
    issuer: `http://${host}:${ownPort}`,
    port: ownPort,
    clientId,
    clientSecret,
    person: { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace', groups: [] },
    userinfoOnly: [],
    misbehaviour: {},
    authMethods: ['client_secret_basic', 'client_secret_post'],
    interactive: false,
    requests,
    async rotateKey() {
      key = await makeKey()
    },
    close: () => server.stop(true),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return provider
}

function discoveryDocument({ issuer, misbehaviour, authMethods }: OidcProvider): object {
  return {
    issuer: misbehaviour.issuer ?? issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    ...(authMethods && { token_endpoint_auth_methods_supported: authMethods }),
  }
}

function authorize(provider: OidcProvider, grants: Map<string, Grant>, query: URLSearchParams): Response {
  const redirectUri = query.get('redirect_uri') ?? ''
  const challenge = query.get('code_challenge') ?? ''
  if (query.get('client_id') !== clientId) return new Response('unknown client', { status: 400 })
  if (query.get('response_type') !== 'code' || !(query.get('scope') ?? '').split(' ').includes('openid'))
    return new Response('not the code flow', { status: 400 })
  if (query.get('code_challenge_method') !== 'S256' || challenge === '')
    return new Response('PKCE is required', { status: 400 })
  const back = new URL(redirectUri)
  back.searchParams.set('state', query.get('state') ?? '')
  const { authorizationError } = provider.misbehaviour
  if (authorizationError === undefined) {
    const code = crypto.randomUUID()
    grants.set(code, { redirectUri, challenge, nonce: query.get('nonce'), person: provider.person })
    back.searchParams.set('code', code)
  } else {
    back.searchParams.set('error', authorizationError)
  }
  if (!provider.interactive) return new Response(null, { status: 302, headers: { location: back.href } })
  const link = `<a href="${back.href.replaceAll('&', '&amp;')}">Continue</a>`
  return new Response(`<!doctype html><title>Provider</title>${link}`, { headers: { 'content-type': 'text/html' } })
}

interface TokenParts {
  readonly grants: Map<string, Grant>
  readonly tokens: Map<string, PersonClaims>
  readonly key: SigningKey
}

async function context(
  provider: OidcProvider,
  { grants, tokens, key }: TokenParts,
  request: Request,
): Promise<Response> {
  const { tokenStatus } = provider.misbehaviour
  if (tokenStatus !== undefined) return new Response(null, { status: tokenStatus })
  const form = new URLSearchParams(await request.text())
  if (!isOurClient(provider, request, form)) return Response.json({ error: 'invalid_client' }, { status: 401 })
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  grants.delete(code)
  const verified = Bun.SHA256.hash(form.get('code_verifier') ?? '', 'base64url') === grant?.challenge
  if (grant === undefined || !verified || form.get('redirect_uri') !== grant.redirectUri)
    return Response.json({ error: 'invalid_grant' }, { status: 400 })
  const accessToken = crypto.randomUUID()
  tokens.set(accessToken, grant.person)
  const idToken = await signedToken(provider, key, idTokenClaims(provider, grant))
  return Response.json({ access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken })
}

function isOurClient(
  { authMethods = ['client_secret_basic'] }: OidcProvider,
  request: Request,
  form: URLSearchParams,
): boolean {
  const basic = request.headers.get('authorization')
  if (basic === null) return authMethods.includes('client_secret_post') && form.get('client_secret') === clientSecret
  const [id, secret] = atob(basic.replace(/^Basic /, ''))
    .split(':')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  return authMethods.includes('client_secret_basic') && id === clientId && secret === clientSecret
}

function idTokenClaims(
  { issuer, userinfoOnly, misbehaviour }: OidcProvider,
  { person, nonce }: Grant,
): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000)
  const known = Object.entries(person).filter(([name]) => !userinfoOnly.includes(name))
  const claims = { ...Object.fromEntries(known), iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce }
  return misbehaviour.claims?.(claims) ?? claims
}

function userinfo(tokens: ReadonlyMap<string, PersonClaims>, { headers }: Request): Response {
  const person = tokens.get((headers.get('authorization') ?? '').replace(/^Bearer /, ''))
  return person === undefined ? new Response(null, { status: 401 }) : Response.json(person)
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const

async function makeKey(): Promise<SigningKey> {
  const size = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
  const pair = await crypto.subtle.generateKey({ ...rsa, ...size }, true, ['sign', 'verify'])
  return { id: crypto.randomUUID(), pair }
}

async function publicKey({ id, pair }: SigningKey): Promise<object> {
  const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  return { kty, n, e, kid: id, alg: 'RS256', use: 'sig' }
}

async function signedToken(
  { misbehaviour: { signature } }: OidcProvider,
  key: SigningKey,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (signature === 'none') return `${encoded({ alg: 'none' })}.${encoded(claims)}.`
  const { pair } = signature === 'foreign' ? await makeKey() : key
  const head = encoded({ alg: 'RS256', typ: 'JWT', kid: key.id })
  const bytes = await crypto.subtle.sign(rsa, pair.privateKey, Buffer.from(`${head}.${encoded(claims)}`))
  const sent = signature === 'altered' ? { ...claims, sub: 'somebody-else' } : claims
  return `${head}.${encoded(sent)}.${Buffer.from(bytes).toString('base64url')}`
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
