/**
 * Users, groups and API keys as the rest of Sluice sees them. Immutable: a change makes a new
 * record. Times are milliseconds since 1970, ids are UUIDs. No secret is in any of these records.
 */

export type Role = 'admin' | 'user'

/** A service account is a program's: it has keys, and no way to sign in. */
export const userKinds = ['person', 'service'] as const
export type UserKind = (typeof userKinds)[number]

export interface User {
  readonly id: string
  /** Lower case; unique. */
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly kind: UserKind
  readonly disabled: boolean
  /** False until a password is set, and always for a service account: such a user cannot sign in, but keys work. */
  readonly hasPassword: boolean
  /** Written in the configuration file, hence read-only in the admin API. */
  readonly declared: boolean
  readonly createdAt: number
}

/** Group that every user is in without a membership row. */
export const everyoneGroupId = '00000000-0000-0000-0000-000000000000'

/** What an administrator can allow the members of a group beyond their own affairs. */
export const permissions = [
  /** To make other users, other groups and everyone owners of one's documents. */
  'documents.share',
] as const
export type Permission = (typeof permissions)[number]

export interface Group {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly declared: boolean
  readonly createdAt: number
}

/** Parts of the API that a key can be limited to. */
export const keyAreas = ['inference', 'documents', 'admin', 'scim'] as const
export type KeyArea = (typeof keyAreas)[number]

/** Classes of requests that wait for a scarce model, the first first. */
export const priorities = ['interactive', 'normal', 'batch'] as const
export type Priority = (typeof priorities)[number]

export interface KeyScopes {
  /** Canonical model ids; null = all that the user has. */
  readonly modelIds: readonly string[] | null
  /** Null = all that the user has. */
  readonly areas: readonly KeyArea[] | null
}

export interface ApiKey {
  readonly id: string
  /** The 8 characters after `sk-slu-`: may be displayed and logged. */
  readonly publicId: string
  /** SHA-256 of the secret, base64. */
  readonly digest: string
  /** The secret before the last rotation, as long as it works beside the new one; null for none. */
  readonly previous: PreviousSecret | null
  readonly name: string
  readonly description: string
  readonly userId: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
  readonly scopes: KeyScopes
  readonly priority: Priority
}

export interface PreviousSecret {
  readonly publicId: string
  readonly digest: string
  /** It is refused from then on. */
  readonly until: number
}

/** A user with everything that a permission check needs. */
export interface Account {
  readonly user: User
  /** Always holds `everyoneGroupId`. */
  readonly groupIds: ReadonlySet<string>
}

/** What a client secret permits: realtime sessions with one model, on behalf of the key that it was made with. */
export interface ClientGrant {
  readonly keyId: string
  /** The model's name. */
  readonly model: string
  /** How each session begins, as the Realtime API has it; null leaves that to the client. */
  readonly session: Readonly<Record<string, unknown>> | null
}

/** Who makes a request. */
export interface Caller {
  readonly account: Account
  /** Null for a browser session and for the control socket. */
  readonly key: ApiKey | null
  /** Set when the request showed a client secret in place of the key. */
  readonly grant?: ClientGrant
}
