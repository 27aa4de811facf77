/** An app that a provisioning service works on, with a key of a service account that may do nothing else. */
import { expect } from 'bun:test'
import { startAdminApp, type AdminApp } from '../app/admin-app.ts'

export interface ScimAnswer {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly totalResults: number
    readonly Resources: readonly Readonly<Record<string, unknown>>[]
    readonly scimType?: string
    readonly detail?: string
  }
}

export interface ScimApp extends AsyncDisposable {
  readonly app: AdminApp
  readonly key: string
  /** A request below /scim/v2. */
  scim(method: string, path: string, body?: unknown, key?: string | null): Promise<ScimAnswer>
  /** A user with defaults; its id. */
  addUser(fields?: object): Promise<string>
  /** A group with these members; its id. */
  addGroup(displayName: string, ...members: readonly string[]): Promise<string>
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export async function startScim(): Promise<ScimApp> {
  const app = await startAdminApp()
  const account = await app.call<{ id: string }>('POST', '/users', {
    body: { email: 'provisioning@example.org', kind: 'service', role: 'admin' },
  })
  const made = await app.call<{ secret: string }>('POST', `/users/${account.body.id}/keys`, {
    body: { name: 'scim', scopes: { areas: ['scim'], models: null } },
  })
  const key = made.body.secret
  expect(key).toStartWith('sk-slu-')
  let count = 0
  const scim: ScimApp['scim'] = async (method, path, body, used = key) => {
    const response = await fetch(`${app.url}/scim/v2${path}`, {
      method,
      headers: {
        'content-type': 'application/scim+json',
        ...(used !== null && { authorization: `Bearer ${used}` }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, type: headers.get('content-type'), body: text === '' ? {} : JSON.parse(text) }
  }
  return {
    app,
    key,
    scim,
    async addUser(fields = {}) {
      count += 1
      const { status, body } = await scim('POST', '/Users', {
        schemas: [userSchema],
        userName: `person${count}@example.org`,
        ...fields,
      })
      expect(status).toBe(201)
      return body.id
    },
    async addGroup(displayName, ...members) {
      const list = members.map((value) => ({ value }))
      const { status, body } = await scim('POST', '/Groups', { schemas: [groupSchema], displayName, members: list })
      expect(status).toBe(201)
      return body.id
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** A PATCH body. */
export function patch(...operations: readonly object[]): object {
  return { schemas: [patchSchema], Operations: operations }
}
