/**
 * Making, changing and deleting API keys: the same for an administrator and for users' own keys.
 * When a deletion has been answered, the next request with that key is refused.
 */
import { pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { createKeySecret } from '#identity/api-key.ts'
import { keyAreas, priorities, type ApiKey, type Caller, type KeyArea, type KeyScopes } from '#identity/records.ts'
import { keyOrders } from '#store/identity/key-list.ts'
import type { KeyPatch } from '#store/identity/keys.ts'
import type { Admin } from '../admin.ts'
import { requireFound, label, text, time } from '../fields.ts'
import { listFilter, orderFrom } from '../list-query.ts'
import type { Unchanged } from '../record-version.ts'
import { keyAnswer, keyOnWire, keyVersion, scopeNames, type KeyOnWire } from './key-record.ts'
import {
  belongsTo,
  boundedExpiry,
  boundedPriority,
  boundedScopes,
  requireWithin,
  scopedModelIds,
} from './key-scopes.ts'

const hourMs = 3_600_000

/** Whose keys a handler is about: those of anyone, or only those of one user. */
export type OwnerFilter = { readonly owner: 'anyone' } | { readonly owner: 'self'; readonly userId: string }

const models = z
  .array(z.string().max(200))
  .min(1)
  .max(1000)
  .nullable()
  .describe('Model names or aliases; null = all that the user has')
const areas = z.array(z.enum(keyAreas)).min(1).max(keyAreas.length).nullable().describe('null = all')
const priority = z
  .enum(priorities)
  .describe('The class in which its requests wait for a scarce model; only administrators give interactive')
const expiry = time.nullable().describe('null = never')

export const keyCreation = z
  .strictObject({
    name: label,
    description: text.default(''),
    expires_at: expiry.default(null),
    scopes: z.strictObject({ models: models.default(null), areas: areas.default(null) }).prefault({}),
    priority: priority.default('normal'),
  })
  .meta({ id: 'ApiKeyCreation' })

export const keyChange = z
  .strictObject({
    name: label.optional(),
    description: text.optional(),
    expires_at: expiry.optional(),
    scopes: z.strictObject({ models: models.optional(), areas: areas.optional() }).optional(),
    priority: priority.optional(),
  })
  .meta({ id: 'ApiKeyChange' })

export const keyRotation = z
  .strictObject({
    overlap_hours: z
      .number()
      .min(0)
      .max(720)
      .default(24)
      .describe('How long the secret of now works, too; 0 = not at all'),
  })
  .meta({ id: 'ApiKeyRotation' })

export const createdKey = keyAnswer
  .extend({ secret: z.string().describe('The key itself. It is in no other answer: keep it now') })
  .meta({ id: 'CreatedApiKey' })

export const keyDeletion = z
  .strictObject({ ids: z.array(z.string().max(200)).min(1).max(1000) })
  .meta({ id: 'ApiKeyDeletion' })
export const deletedKeys = z.strictObject({
  deleted: z.array(z.string()).describe('Ids; those that did not exist are not among them'),
})
export const keyPage = pageAnswer(keyAnswer)
export const keysQuery = pageQuery.extend(
  listFilter(
    keyOrders,
    "Part of the name, the description, what is displayed of the key, or its user's name or address",
  ),
)

/** A page of keys, of one user or of all. */
export async function listKeys(
  admin: Admin,
  { q: contains, sort, order, cursor, limit }: z.output<typeof keysQuery>,
  userId: string | undefined,
): Promise<z.input<typeof keyPage>> {
  const asked = { cursor, limit, contains, order: orderFrom(sort, order) }
  const keys = await admin.store.keys.list({ ...asked, userId })
  const names = await scopeNames(admin, keys.items)
  return pageOnWire(keys, (key) => keyOnWire(key, names))
}

/** Makes a key that works on the next request. */
export async function createKey(
  admin: Admin,
  maker: Caller,
  reach: OwnerFilter & { readonly userId: string },
  body: z.output<typeof keyCreation>,
): Promise<z.input<typeof createdKey>> {
  const { secret, publicId, digest } = createKeySecret()
  const createdAt = admin.clock.now()
  const key: ApiKey = {
    id: crypto.randomUUID(),
    publicId,
    digest,
    previous: null,
    name: body.name,
    description: body.description,
    userId: reach.userId,
    createdAt,
    lastUsedAt: null,
    expiresAt: boundedExpiry(body.expires_at, maker, createdAt),
    scopes: await readScopes(admin, maker, reach, body.scopes),
    priority: boundedPriority(body.priority, maker, 'normal'),
  }
  await admin.store.keys.insert(key)
  await admin.feed.publish([{ kind: 'key', id: key.id }])
  return { ...keyOnWire(key, await scopeNames(admin, [key])), secret }
}

/** One key. Answers 404 for one that does not exist or belongs to another user. */
export async function getKey(admin: Admin, reach: OwnerFilter, id: string): Promise<KeyOnWire> {
  const key = await readKey(admin, reach, id)
  return keyOnWire(key, await scopeNames(admin, [key]))
}

/** The key as changed. */
export async function changeKey(
  admin: Admin,
  maker: Caller,
  target: OwnerFilter & { readonly id: string; readonly unchanged: Unchanged },
  body: z.output<typeof keyChange>,
): Promise<KeyOnWire> {
  const before = await readKey(admin, target, target.id)
  const patch: KeyPatch = {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.expires_at !== undefined && { expiresAt: boundedExpiry(body.expires_at, maker, admin.clock.now()) }),
    ...(body.priority !== undefined && { priority: boundedPriority(body.priority, maker, before.priority) }),
    ...(body.scopes && { scopes: await changedScopes(admin, maker, target, { before, wanted: body.scopes }) }),
  }
  const key = requireFound(await admin.store.keys.update(target.id, patch, target.unchanged(keyVersion)), 'API key')
  await admin.feed.publish([{ kind: 'key', id: key.id }])
  return keyOnWire(key, await scopeNames(admin, [key]))
}

/**
 * Gives a key another secret, and leaves all else: its limits and budgets go on counting. An older secret than that of now
 * ends at once. Answers 409 for a key that has expired, or when another request has just rotated it.
 */
export async function rotateKey(
  admin: Admin,
  maker: Caller,
  target: OwnerFilter & { readonly id: string; readonly unchanged: Unchanged },
  { overlap_hours: overlap }: z.output<typeof keyRotation>,
): Promise<z.input<typeof createdKey>> {
  const now = admin.clock.now()
  const before = await readKey(admin, target, target.id)
  if (before.expiresAt !== null && before.expiresAt <= now)
    throw new ApiError('conflict', { message: 'The key has expired. Give it a later end first, or create another.' })
  requireWithin(before, maker, now)
  const { secret, publicId, digest } = createKeySecret()
  const until = Math.round(now + overlap * hourMs)
  const previous = overlap === 0 ? null : { publicId: before.publicId, digest: before.digest, until }
  const check = (found: ApiKey): void => {
    target.unchanged(keyVersion)?.(found)
    if (found.digest !== before.digest)
      throw new ApiError('conflict', {
        message: 'Another request has just rotated this key. Look at it before you do so again.',
      })
  }
  const key = requireFound(await admin.store.keys.update(target.id, { publicId, digest, previous }, check), 'API key')
  await admin.feed.publish([{ kind: 'key', id: key.id }])
  return { ...keyOnWire(key, await scopeNames(admin, [key])), secret }
}

/** Deletes what exists of these keys; returns the ids of those. */
export async function deleteKeys(admin: Admin, reach: OwnerFilter, ids: readonly string[]): Promise<string[]> {
  const owner = reach.owner === 'self' ? { userId: reach.userId } : undefined
  const distinctIds = [...new Set(ids)]
  const deleted = await admin.store.keys.delete(distinctIds, owner)
  // All that were asked for, so that asking again heals a deletion whose answer was lost.
  await admin.feed.publish(distinctIds.map((id) => ({ kind: 'key', id })))
  return [...deleted]
}

/** Deletes one key. Answers 404 for one that does not exist or belongs to another user. */
export async function deleteKey(
  admin: Admin,
  target: OwnerFilter & { readonly id: string; readonly unchanged: Unchanged },
): Promise<void> {
  const { id, unchanged } = target
  const owner = target.owner === 'self' ? { userId: target.userId } : undefined
  const [deleted] = await admin.store.keys.delete([id], owner, unchanged(keyVersion))
  await admin.feed.publish([{ kind: 'key', id }])
  requireFound(deleted, 'API key')
}

async function readKey({ store }: Admin, reach: OwnerFilter, id: string): Promise<ApiKey> {
  const key = await store.keys.get(id)
  return requireFound(belongsTo(key, reach.owner === 'self' ? reach.userId : null) ? key : null, 'API key')
}

interface WantedScopes {
  readonly models: readonly string[] | null
  readonly areas: readonly KeyArea[] | null
}

async function readScopes(admin: Admin, maker: Caller, reach: OwnerFilter, wanted: WantedScopes): Promise<KeyScopes> {
  const modelIds = wanted.models && (await scopedModelIds(admin, wanted.models, maker, reach.owner))
  return boundedScopes({ modelIds, areas: wanted.areas }, maker)
}

/** Only what the change names is changed, and only that is bounded by the maker. */
async function changedScopes(
  admin: Admin,
  maker: Caller,
  reach: OwnerFilter,
  change: {
    readonly before: ApiKey
    readonly wanted: { readonly [K in keyof WantedScopes]?: WantedScopes[K] | undefined }
  },
): Promise<KeyScopes> {
  const { models: wantedModels, areas: wantedAreas } = change.wanted
  const read = await readScopes(admin, maker, reach, { models: wantedModels ?? null, areas: wantedAreas ?? null })
  const { modelIds, areas: areasBefore } = change.before.scopes
  return {
    modelIds: wantedModels === undefined ? modelIds : read.modelIds,
    areas: wantedAreas === undefined ? areasBefore : read.areas,
  }
}
