/** What the admin API answers, as far as the commands use it. */
import type { SettingDescription } from '#config/settings/describe.ts'
import type { AdminClient } from './admin-client.ts'

export interface UserOnWire {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: string
  readonly kind: string
  readonly disabled: boolean
}

export interface InvitationOnWire {
  /** Below the address of the server. */
  readonly path: string
  readonly expires_at: string
}

export interface GroupOnWire {
  readonly id: string
  readonly name: string
  readonly description: string
}

export type SettingOnWire = Pick<SettingDescription, 'name' | 'value' | 'source'> & { readonly etag: string }

export interface KeyOnWire {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly user_id: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly previous: { readonly prefix: string; readonly until: string } | null
  /** Only in the answers to its creation and to its rotation. */
  readonly secret?: string
}

export interface ProviderOnWire {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly base_url: string
  readonly servers: ServersOnWire | null
  readonly enabled: boolean
}

export interface ServersOnWire {
  readonly urls: readonly string[]
  readonly dns: string | null
  readonly strategy: string
}

export interface ModelOnWire {
  readonly id: string
  readonly name: string
  /** Null for a composite. */
  readonly provider_id: string | null
  readonly aliases: readonly string[]
  readonly active: boolean
}

/** Every item of a list of the API, page after page. */
export async function listAll<Item>(client: AdminClient, path: string): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const query = `limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = (await client.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)) as {
      readonly data: readonly Item[]
      readonly next_cursor?: string | null
    }
    items.push(...page.data)
    cursor = page.next_cursor ?? null
  } while (cursor !== null)
  return items
}

/** What asking a provider for its models came to. */
export interface TestAnswer {
  readonly ok: boolean
  readonly models: readonly { readonly id: string }[]
  readonly latency_ms: number
  /** When `ok` is false. */
  readonly error?: string
}

export interface ImportAnswer {
  readonly imported: readonly ModelOnWire[]
  readonly skipped: readonly { readonly id: string; readonly reason: 'name_taken' | 'not_offered' | 'invalid_name' }[]
}
