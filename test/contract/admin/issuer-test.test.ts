/** Tests of an issuer by an administrator: what is wrong is found before anybody signs in, and no secret goes elsewhere. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import { startOidcProvider, type OidcProvider } from '#test/support/network/oidc-provider.ts'

let app: AdminApp
let issuer: OidcProvider
let other: OidcProvider
beforeAll(async () => {
  ;[issuer, other] = await Promise.all([startOidcProvider(), startOidcProvider()])
  app = await startAdminApp({
    set: [`auth.oidc.issuer=${issuer.issuer}`, `auth.oidc.client_id=${issuer.clientId}`],
    environment: { SLUICE_AUTH_OIDC_CLIENT_SECRET: issuer.clientSecret },
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await Promise.all([issuer.close(), other.close()])
})

interface Answer {
  readonly checks: readonly { readonly name: string; readonly outcome: string; readonly message: string }[]
}

async function outcomes(body: object): Promise<Readonly<Record<string, string>>> {
  const { checks } = (await app.call<Answer>('POST', '/oidc/test', { body })).body
  expect(JSON.stringify(checks)).not.toContain(issuer.clientSecret)
  return Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]))
}

const good = { address: 'ok', keys: 'ok', methods: 'ok', client: 'ok', callback: 'ok' }

test('the configured issuer passes with the configured secret, which another issuer does not get', async () => {
  expect(await outcomes({ issuer: issuer.issuer, client_id: issuer.clientId })).toEqual(good)
  expect(await outcomes({ issuer: other.issuer, client_id: other.clientId })).toEqual({ ...good, client: 'failed' })
  const own = { issuer: other.issuer, client_id: other.clientId, client_secret: other.clientSecret }
  expect(await outcomes(own)).toEqual(good)
})

test('another client of the configured issuer does not get the configured secret', async () => {
  const { client } = await outcomes({ issuer: issuer.issuer, client_id: 'another' })
  expect(client).toBe('failed')
})

test('an issuer that calls itself otherwise is not trusted, and one that is not there is named', async () => {
  other.misbehaviour = { issuer: 'https://id.example.org' }
  const body = { issuer: other.issuer, client_id: other.clientId }
  const { checks } = (await app.call<Answer>('POST', '/oidc/test', { body })).body
  expect(checks.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['address', 'failed'],
    ['callback', 'ok'],
  ])
  other.misbehaviour = { tokenStatus: 500 }
  expect((await outcomes(body))['client']).toBe('failed')
  other.misbehaviour = {}
  expect(await outcomes({ issuer: 'http://127.0.0.1:9', client_id: 'sluice' })).toEqual({
    address: 'failed',
    callback: 'ok',
  })
})

test('an address that could be read on the way is refused', async () => {
  const { status, body } = await app.call<{ error: { param: string } }>('POST', '/oidc/test', {
    body: { issuer: 'http://id.example.org', client_id: 'sluice' },
  })
  expect([status, body.error.param]).toEqual([422, 'issuer'])
})
