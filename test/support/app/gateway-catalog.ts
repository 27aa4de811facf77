/**
 * Who and what the gateway of a test knows: three accounts, keys of every kind, and models that lead
 * to a scripted upstream or to trouble. Names in the tests are names in here.
 */
import type { ModelRecord, ProviderRecord } from '#catalog/records.ts'
import { createKeySecret } from '#identity/api-key.ts'
import { everyoneGroupId, type ApiKey, type KeyScopes } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import type { Store } from '#store/store.ts'
import { aGroup, aKey, aModel, aProvider, aUser } from '../store/store-records.ts'
import { refusingUrl } from '../upstream/upstream.ts'

/** What the gateway authenticates with at the upstream `up`. */
export const upstreamCredential = 'credential-of-the-gateway'

export interface StockKey {
  readonly id: string
  readonly userId: string
  /** What a client sends. */
  readonly secret: string
}

export interface Stock {
  readonly keys: {
    /** Of the user that all tests are about: in no group but `everyone`. */
    readonly main: StockKey
    /** The same user's. */
    readonly second: StockKey
    /** Of another user, who is in the group of `private`. */
    readonly other: StockKey
    readonly admin: StockKey
    /** Expired long ago. */
    readonly expired: StockKey
    /** The main user's, for an hour. */
    readonly expiring: StockKey
    /** The main user's, for documents only. */
    readonly documentsOnly: StockKey
    /** The main user's, for `vendor/slashed` only. */
    readonly slashedOnly: StockKey
    /** Of a user who has been disabled. */
    readonly ofDisabledUser: StockKey
  }
  /** Group of `private`, which the main user is not in. */
  readonly closedGroupId: string
  /** Group of `shared`, which the main user is in. */
  readonly teamGroupId: string
  readonly models: Readonly<Record<ModelName, ModelRecord>>
  /** Id of the provider `up`, which leads to the scripted upstream. */
  readonly upProviderId: string
}

export type ModelName =
  /** Alias `plain-alias`. */
  | 'plain'
  | 'vendor/slashed'
  | 'shared'
  | 'private'
  | 'inactive'
  /** Its provider is disabled. */
  | 'on-disabled'
  /** Its provider refuses connections. */
  | 'on-refusing'
  /** At most one request in flight. */
  | 'narrow'

const hourMs = 3_600_000

/** Writes everything into the store. */
export async function stockGateway(store: Store, upstreamUrl: string): Promise<Stock> {
  const [user, other, admin, disabled] = [aUser(), aUser(), aUser({ role: 'admin' }), aUser({ disabled: true })]
  for (const each of [user, other, admin, disabled]) await store.users.insert(each, null)
  const [closed, team] = [aGroup({ name: 'closed' }), aGroup({ name: 'team' })]
  for (const group of [closed, team]) await store.groups.insert(group)
  await store.groups.addMember(closed.id, other.id)
  await store.groups.addMember(team.id, user.id)
  const { models, up } = await stockModels(store, upstreamUrl, { closed: closed.id, team: team.id })
  const scoped = (scopes: Partial<KeyScopes>) => ({ scopes: { modelIds: null, areas: null, ...scopes } })
  return {
    keys: {
      main: await addKey(store, user.id),
      second: await addKey(store, user.id),
      other: await addKey(store, other.id),
      admin: await addKey(store, admin.id),
      expired: await addKey(store, user.id, { expiresAt: 1_760_000_000_000 }),
      expiring: await addKey(store, user.id, { expiresAt: Date.now() + hourMs }),
      documentsOnly: await addKey(store, user.id, scoped({ areas: ['documents'] })),
      slashedOnly: await addKey(store, user.id, scoped({ modelIds: [models['vendor/slashed'].id] })),
      ofDisabledUser: await addKey(store, disabled.id),
    },
    closedGroupId: closed.id,
    teamGroupId: team.id,
    models,
    upProviderId: up,
  }
}

async function stockModels(
  store: Store,
  upstreamUrl: string,
  groups: { readonly closed: string; readonly team: string },
): Promise<{ readonly models: Stock['models']; readonly up: string }> {
  const provider = async (name: string, fields: Partial<ProviderRecord>): Promise<string> => {
    const credential = new Secret(upstreamCredential)
    const record = aProvider({ name, baseUrl: upstreamUrl, credential, headers: {}, timeouts: {}, ...fields })
    await store.providers.insert(record)
    return record.id
  }
  const up = await provider('up', {})
  const off = await provider('off', { enabled: false })
  const refusing = await provider('refusing', { baseUrl: refusingUrl })
  const model = async (name: ModelName, fields: Partial<ModelRecord> = {}, providerId = up): Promise<ModelRecord> => {
    const record = aModel(providerId, { name, groupIds: [everyoneGroupId], ...fields })
    await store.models.insert(record)
    return record
  }
  const models = {
    plain: await model('plain', { aliases: ['plain-alias'] }),
    'vendor/slashed': await model('vendor/slashed', {
      target: { kind: 'plain', providerId: up, upstreamName: 'vendor/slashed' },
    }),
    shared: await model('shared', { groupIds: [groups.team] }),
    private: await model('private', { groupIds: [groups.closed] }),
    inactive: await model('inactive', { active: false }),
    'on-disabled': await model('on-disabled', {}, off),
    'on-refusing': await model('on-refusing', {}, refusing),
    narrow: await model('narrow', { aliases: ['narrow-alias'], inflightLimit: 1 }),
  }
  return { models, up }
}

async function addKey(store: Store, userId: string, fields: Partial<ApiKey> = {}): Promise<StockKey> {
  const { secret, publicId, digest } = createKeySecret()
  const key = aKey(userId, { publicId, digest, ...fields })
  await store.keys.insert(key)
  return { id: key.id, userId, secret }
}
