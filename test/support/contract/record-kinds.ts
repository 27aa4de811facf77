/** Every kind of record that the admin API changes: how one is made, read and changed in any number of ways. */

/** One request of an administrator, below the prefix. */
export type AdminCall = (
  method: string,
  path: string,
  options?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>

export type StoredRecord = { readonly etag: string } & Readonly<Record<string, unknown>>

export interface RecordKind {
  /** Its address in the route table, below the prefix. */
  readonly route: string
  readonly method: 'PATCH' | 'PUT'
  /** Makes one and returns its address. */
  readonly make: (call: AdminCall) => Promise<string>
  /** A change that differs from that of any other number. */
  readonly change: (turn: number) => object
  /** Reads it where its address has no GET. */
  readonly read?: (call: AdminCall, path: string) => Promise<StoredRecord>
}

const text = (turn: number) => ({ description: `turn ${turn}` })

export const recordKinds: Readonly<Record<string, RecordKind>> = {
  user: {
    route: '/users/:id',
    method: 'PATCH',
    make: async (call) => `/users/${await aUser(call)}`,
    change: (turn) => ({ name: `turn ${turn}` }),
  },
  administrator: {
    route: '/users/:id',
    method: 'PATCH',
    make: async (call) => `/users/${await made(call, '/users', { email: anEmail(), role: 'admin' })}`,
    change: (turn) => ({ name: `turn ${turn}`, role: 'user' }),
  },
  group: {
    route: '/groups/:id',
    method: 'PATCH',
    make: async (call) => `/groups/${await aGroup(call)}`,
    change: text,
  },
  'API key': {
    route: '/keys/:id',
    method: 'PATCH',
    make: async (call) => `/keys/${await made(call, `/users/${await aUser(call)}/keys`, { name: 'key' })}`,
    change: (turn) => ({ scopes: { areas: ['documents'] }, expires_at: new Date(4e12 + turn * 1000).toISOString() }),
  },
  'own API key': {
    route: '/me/keys/:id',
    method: 'PATCH',
    make: async (call) => `/me/keys/${await made(call, '/me/keys', { name: 'key' })}`,
    change: text,
  },
  provider: {
    route: '/providers/:id',
    method: 'PATCH',
    make: async (call) => `/providers/${await aProvider(call)}`,
    change: (turn) => ({ timeouts: { idle_seconds: turn + 1 } }),
  },
  'credential of a provider': {
    route: '/providers/:id',
    method: 'PATCH',
    make: async (call) => `/providers/${await aProvider(call)}`,
    change: (turn) => ({ credential: `secret-${turn}` }),
  },
  model: {
    route: '/models/:id',
    method: 'PATCH',
    make: async (call) => `/models/${await aModel(call)}`,
    change: (turn) => ({ aliases: [`alias-${turn}-${crypto.randomUUID()}`], groups: [] }),
  },
  composite: {
    route: '/models/:id',
    method: 'PATCH',
    make: async (call) => {
      const components = [{ model: await aModel(call) }, { model: await aModel(call) }]
      return `/models/${await made(call, '/models', { name: aName(), composite: { components } })}`
    },
    change: text,
  },
  budget: {
    route: '/budgets/:id',
    method: 'PATCH',
    make: async (call) => {
      const body = { scope: 'group', scope_id: await aGroup(call), period: 'month', amount: 1 }
      return `/budgets/${await made(call, '/budgets', body)}`
    },
    change: (turn) => ({ amount: turn + 2 }),
  },
  webhook: {
    route: '/webhooks/:id',
    method: 'PATCH',
    make: async (call) => `/webhooks/${await made(call, '/webhooks', { url: 'https://example.org/hook' })}`,
    change: text,
  },
  source: {
    route: '/sources/:id',
    method: 'PATCH',
    make: async (call) => {
      const user = { user_id: await aUser(call), enabled: false }
      return `/sources/${await made(call, '/sources', { name: aName(), kind: 'webdav', url: 'http://files.example/', ...user })}`
    },
    change: (turn) => ({ category: `turn-${turn}` }),
  },
  setting: {
    route: '/settings/:name',
    method: 'PUT',
    make: async () => '/settings/gateway.keepalive_seconds',
    change: (turn) => ({ value: turn + 100 }),
    read: async (call, path) => ofList(await call('GET', '/settings'), 'name', path),
  },
  'in-flight limit': {
    route: '/models/:id/inflight-limits/:userId',
    method: 'PUT',
    make: async (call) => {
      const path = `/models/${await aModel(call)}/inflight-limits/${await aUser(call)}`
      await call('PUT', path, { body: { limit: 1 } })
      return path
    },
    change: (turn) => ({ limit: turn + 2 }),
    read: async (call, path) => ofList(await call('GET', path.slice(0, path.lastIndexOf('/'))), 'user_id', path),
  },
}

/** The record at an address. */
export async function readRecord(call: AdminCall, { read }: RecordKind, path: string): Promise<StoredRecord> {
  return read === undefined ? ((await call('GET', path)).body as StoredRecord) : read(call, path)
}

function ofList({ body }: { readonly body: unknown }, key: string, path: string): StoredRecord {
  const { data } = body as { readonly data: readonly StoredRecord[] }
  const found = data.find((each) => path.endsWith(`/${String(each[key])}`))
  if (found === undefined) throw new Error(`nothing at ${path}`)
  return found
}

const aName = () => `n-${crypto.randomUUID()}`
const anEmail = () => `${crypto.randomUUID()}@example.org`
const aUser = (call: AdminCall) => made(call, '/users', { email: anEmail() })
const aGroup = (call: AdminCall) => made(call, '/groups', { name: aName() })
const aProvider = (call: AdminCall) => made(call, '/providers', { name: aName(), kind: 'demo' })
const aModel = async (call: AdminCall) => made(call, '/models', { name: aName(), provider_id: await aProvider(call) })

async function made(call: AdminCall, path: string, body: object): Promise<string> {
  const { status, body: answer } = await call('POST', path, { body })
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`)
  return (answer as { readonly id: string }).id
}
