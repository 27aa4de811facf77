/**
 * Providers and models as configured. Immutable: a change makes a new record. Times are
 * milliseconds since 1970, ids are UUIDs.
 */
import type { Secret } from '#lib/secret.ts'

/** Four different silences, each with its own limit; unset = the setting of the same name. Seconds. */
export interface Timeouts {
  readonly connectSeconds?: number
  readonly firstTokenSeconds?: number
  readonly idleSeconds?: number
  readonly totalSeconds?: number
}

export interface ProviderRecord {
  readonly id: string
  /** Unique; shown as `owned_by` of its models. */
  readonly name: string
  /** A key of the provider registry: `openai`, `demo`, … */
  readonly kind: string
  /** Without a trailing slash; endpoints are appended to it. Empty for kinds without a server. */
  readonly baseUrl: string
  /** Null: no `authorization` header is sent. */
  readonly credential: Secret | null
  /** Sent with every request to the provider. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeouts: Timeouts
  readonly enabled: boolean
  readonly declared: boolean
  readonly createdAt: number
}

/** What a model can do, as data for people and for checks; absent = unknown. */
export interface ModelCapabilities {
  readonly endpoints?: readonly string[]
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly jsonSchema?: boolean
  readonly reasoning?: boolean
}

export interface ModelRecord {
  readonly id: string
  /** Canonical name; shares one namespace with all aliases. Case-sensitive. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly providerId: string
  /** The provider's own name for the model. */
  readonly upstreamName: string
  readonly description: string
  readonly active: boolean
  /** Tokens. */
  readonly contextLength: number | null
  readonly capabilities: ModelCapabilities
  readonly groupIds: readonly string[]
  /** Requests in flight per account; null = `limits.realtime_inflight.default`. */
  readonly inflightLimit: number | null
  readonly timeouts: Timeouts
  readonly declared: boolean
  readonly createdAt: number
}

/** An account's own in-flight limit for one model. */
export interface InflightOverride {
  readonly userId: string
  readonly modelId: string
  readonly inflightLimit: number
}
