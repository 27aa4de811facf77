/**
 * Providers and models as configured. Immutable: a change makes a new record. Times are
 * milliseconds since 1970, ids are UUIDs.
 */
import type { efforts, serverDiscoveries, serverStrategies, strategies } from '#config/declared/routing-forms.ts'
import type { JsonValue } from '#lib/json-value.ts'
import type { Secret } from '#lib/secret.ts'

/** Four different silences, each with its own limit; unset = the setting of the same name. Seconds. */
export interface Timeouts {
  readonly connectSeconds?: number
  readonly firstTokenSeconds?: number
  readonly idleSeconds?: number
  readonly totalSeconds?: number
}

/** How hard a model is asked to think, in OpenAI's words. */
export type Effort = (typeof efforts)[number]

/** How an effort is written into the body that goes upstream: a word, a budget of tokens, a switch. */
export interface ReasoningWrite {
  /** Where, as a JSON pointer (RFC 6901). */
  readonly pointer: string
  /** What, for each effort; for one that is not here nothing is written. */
  readonly values: Readonly<Partial<Record<Effort, JsonValue>>>
}

/**
 * How a model reasons. The client's own field is taken out of the body, and then
 * every write that has a value for the effort is made.
 */
export interface ReasoningConfig {
  /** The efforts that it takes, from none to max; empty: it does not reason. */
  readonly efforts: readonly Effort[]
  readonly writes: readonly ReasoningWrite[]
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
  /** What only its kind knows, such as a region or the name of a package. */
  readonly options: Readonly<Record<string, JsonValue>>
  /** For all its models that have none of their own; null = the vendor's preset. */
  readonly reasoning: ReasoningConfig | null
  /** Requests under way at all its models at once, over all accounts; null = any number. */
  readonly maxConcurrent: number | null
  /** The servers behind it; null = the one at `baseUrl`. */
  readonly servers: Servers | null
  /** Which of its servers this record is for; in the store it is for none. */
  readonly server?: ServerAddress
  readonly enabled: boolean
  readonly declared: boolean
  readonly createdAt: number
}

/** Several servers with the same models: one cluster behind one provider. */
export interface Servers {
  /** Base URLs of servers beside the one at `baseUrl`. */
  readonly urls: readonly string[]
  /** How the host of `baseUrl` leads to servers: each of its addresses is one, or each of its SRV records. */
  readonly dns: (typeof serverDiscoveries)[number] | null
  /** How a plain model chooses among them; a composite goes by its own strategy. */
  readonly strategy: (typeof serverStrategies)[number]
}

/** One server of a provider. */
export interface ServerAddress {
  readonly baseUrl: string
  /** The address that the host of `baseUrl` has there; null = whatever it has when a connection opens. */
  readonly ip: string | null
}

/** What a model can do, as data for people and for checks; absent = unknown. */
export interface ModelCapabilities {
  readonly endpoints?: readonly string[]
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly jsonSchema?: boolean
  readonly reasoning?: boolean
  /** The endpoints were guessed by the name of the model. */
  readonly guessed?: boolean
}

/** How a composite chooses among its components: the least busy for its weight, the first in order, the fastest. */
export type Strategy = (typeof strategies)[number]

export interface ComponentRecord {
  /** A plain model. */
  readonly modelId: string
  /** 1 to 100. */
  readonly weight: number
  /** From 0; the lower one goes first. */
  readonly priority: number
  readonly enabled: boolean
}

/** What happens before the first byte when an upstream fails; unset = the setting of the same name. */
export interface FailoverPolicy {
  readonly statuses?: readonly number[]
  readonly maxAttempts?: number
  readonly budgetSeconds?: number
}

export interface PlainTarget {
  readonly kind: 'plain'
  readonly providerId: string
  /** The provider's own name for the model. */
  readonly upstreamName: string
}

export interface CompositeTarget {
  readonly kind: 'composite'
  readonly strategy: Strategy
  /** In the order in which they were written; no model twice. */
  readonly components: readonly ComponentRecord[]
  readonly failover: FailoverPolicy
}

/** Where the requests of a model go: to one provider, or to any of several plain models. */
export type ModelTarget = PlainTarget | CompositeTarget

/** What a request is for. */
export type Purpose = 'realtime' | 'batch'

export type TrafficRule = { readonly action: 'deny' } | { readonly action: 'redirect'; readonly modelId: string }

/** Requests of a purpose without a rule go their way. */
export type TrafficRules = { readonly [P in Purpose]?: TrafficRule }

/** Where lines of batches run: as requests of this server, or as a batch of the provider's own. */
export type BatchMode = 'local' | 'native'

export interface ModelRecord {
  readonly id: string
  /** Canonical name; shares one namespace with all aliases. Case-sensitive. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly target: ModelTarget
  readonly rules: TrafficRules
  /** Null = its provider's, else the preset of the vendor's model; always null for a composite. */
  readonly reasoning: ReasoningConfig | null
  readonly description: string
  readonly active: boolean
  /** Tokens. */
  readonly contextLength: number | null
  readonly capabilities: ModelCapabilities
  readonly groupIds: readonly string[]
  /** Requests in flight per account; null = `limits.realtime_inflight.default`. */
  readonly inflightLimit: number | null
  /** Requests under way at its provider at once, over all accounts; null = any number. */
  readonly maxConcurrent: number | null
  /** Only that of a plain model counts. */
  readonly batch: BatchMode
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
