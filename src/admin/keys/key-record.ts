/** An API key as the admin API shows it. Neither the secret nor its digest is in it. */
import { instant, instantOf } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { displayPrefix } from '#identity/api-key.ts'
import { keyAreas, priorities, type ApiKey } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { instantOrNull } from '../fields.ts'
import { etag, versionOf } from '../record-version.ts'

export const keyAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    prefix: z.string().describe('The part of the secret that may be displayed'),
    previous: z
      .strictObject({ prefix: z.string(), until: instant.describe('It is refused from then on') })
      .nullable()
      .describe('The secret before the last rotation; null = none works beside the new one'),
    user_id: z.string(),
    created_at: instant,
    last_used_at: instant.nullable().describe('Written about once a minute; null = never'),
    expires_at: instant.nullable(),
    scopes: z.strictObject({
      models: z.array(z.string()).nullable().describe('Model names; null = all that the user has'),
      areas: z.array(z.enum(keyAreas)).nullable().describe('null = all'),
    }),
    priority: z.enum(priorities).describe('The class in which its requests wait for a scarce model'),
    etag,
  })
  .meta({ id: 'ApiKey' })

export type KeyOnWire = z.input<typeof keyAnswer>

/** @param names of models by id, from `scopeNames` */
export function keyOnWire(key: ApiKey, names: ReadonlyMap<string, string>): KeyOnWire {
  const { modelIds, areas } = key.scopes
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    prefix: displayPrefix(key.publicId),
    previous: key.previous && { prefix: displayPrefix(key.previous.publicId), until: instantOf(key.previous.until) },
    user_id: key.userId,
    created_at: instantOf(key.createdAt),
    last_used_at: instantOrNull(key.lastUsedAt),
    expires_at: instantOrNull(key.expiresAt),
    scopes: {
      // A model that was deleted since has no name and can no longer be called.
      models: modelIds && modelIds.flatMap((id) => names.get(id) ?? []),
      areas: areas && [...areas],
    },
    priority: key.priority,
    etag: keyVersion(key),
  }
}

/** When it was last used does not count. */
export function keyVersion({ name, description, expiresAt, scopes, priority }: ApiKey): string {
  return versionOf({ name, description, expiresAt, scopes, priority })
}

/** Names of the models that the keys' scopes may refer to; read only when one of them does. */
export async function scopeNames({ store }: Admin, keys: readonly ApiKey[]): Promise<ReadonlyMap<string, string>> {
  if (keys.every((key) => key.scopes.modelIds === null)) return new Map()
  return new Map((await store.models.all()).map((model) => [model.id, model.name]))
}
