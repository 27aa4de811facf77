/**
 * What the configuration file declares besides settings, checked. Names that the file refers to but
 * does not declare (the provider of a model, the groups of a model, the components of a composite, the
 * members of a group, the model of a redirect or an alias) may be in the store: `unresolvedReferences` lists them, and the owner of the
 * store open has to find them there or refuse to start. `kind` is checked by the provider registry.
 */
import type { JsonValue } from '#lib/json-value.ts'
import type { Secret } from '#lib/secret.ts'
import type { Rating } from '#pricing/price.ts'
import type { declaredPeriods, declaredScopes } from './money-forms.ts'
import type { efforts, serverDiscoveries, serverStrategies, strategies } from './routing-forms.ts'

export interface DeclaredTimeouts {
  readonly connectSeconds?: number
  readonly firstTokenSeconds?: number
  readonly idleSeconds?: number
  readonly totalSeconds?: number
}

export interface DeclaredProvider {
  /** Where it is written, for messages: `providers[0]`. */
  readonly path: string
  readonly name: string
  readonly kind: string
  /** Without a trailing slash; empty when left out. */
  readonly baseUrl: string
  readonly credential: Secret | null
  readonly headers: Readonly<Record<string, Secret>>
  readonly timeouts: DeclaredTimeouts
  readonly options: Readonly<Record<string, JsonValue>>
  readonly reasoning: DeclaredReasoning | null
  readonly maxConcurrent: number | null
  readonly servers: DeclaredServers | null
  readonly enabled: boolean
}

export interface DeclaredServers {
  readonly urls: readonly string[]
  readonly dns: (typeof serverDiscoveries)[number] | null
  readonly strategy: (typeof serverStrategies)[number]
}

type DeclaredEffort = (typeof efforts)[number]

export interface DeclaredReasoning {
  readonly efforts: readonly DeclaredEffort[]
  readonly writes: readonly {
    readonly pointer: string
    readonly values: Readonly<Partial<Record<DeclaredEffort, JsonValue>>>
  }[]
}

export interface DeclaredComponent {
  /** Canonical name of a plain model. */
  readonly model: string
  readonly weight: number
  readonly priority: number
  readonly enabled: boolean
}

export interface DeclaredFailover {
  readonly statuses?: readonly number[]
  readonly maxAttempts?: number
  readonly budgetSeconds?: number
}

export type DeclaredTarget =
  /** `provider` is a name. */
  | { readonly kind: 'plain'; readonly provider: string; readonly upstreamName: string }
  | {
      readonly kind: 'composite'
      readonly strategy: (typeof strategies)[number]
      readonly components: readonly DeclaredComponent[]
      readonly failover: DeclaredFailover
    }

/** `model` is a canonical name. */
export type DeclaredRule = { readonly action: 'deny' } | { readonly action: 'redirect'; readonly model: string }

export interface DeclaredRules {
  readonly realtime?: DeclaredRule
  readonly batch?: DeclaredRule
}

export interface DeclaredCapabilities {
  readonly endpoints?: readonly string[]
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly jsonSchema?: boolean
  readonly reasoning?: boolean
}

export interface DeclaredPrice extends Rating {
  /** Milliseconds since 1970. */
  readonly validFrom: number
  readonly note: string
}

export interface DeclaredModel {
  readonly path: string
  readonly name: string
  readonly target: DeclaredTarget
  readonly rules: DeclaredRules
  /** Always null for a composite. */
  readonly reasoning: DeclaredReasoning | null
  /** Null when the file leaves them to administrators; always for a composite. */
  readonly prices: readonly DeclaredPrice[] | null
  /** Those written with the model; see also `Declared.aliases`. */
  readonly aliases: readonly string[]
  /** Names. `everyone` stands for all users, and is what is meant when none are written. */
  readonly groups: readonly string[]
  readonly description: string
  readonly active: boolean
  readonly contextLength: number | null
  readonly capabilities: DeclaredCapabilities
  readonly inflightLimit: number | null
  readonly maxConcurrent: number | null
  /** Always `local` for a composite. */
  readonly batch: 'local' | 'native'
  readonly timeouts: DeclaredTimeouts
}

export interface DeclaredGroup {
  readonly path: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly 'documents.share'[]
  /** E-mail addresses, lower case; null when the file leaves the members to administrators. */
  readonly members: readonly string[] | null
}

export interface DeclaredUser {
  readonly path: string
  /** Lower case. */
  readonly email: string
  /** May be empty. */
  readonly name: string
  readonly role: 'admin' | 'user'
  readonly kind: 'person' | 'service'
  readonly password: Secret | null
  readonly disabled: boolean
}

export interface DeclaredAlias {
  readonly path: string
  readonly alias: string
  /** Canonical name of the model. */
  readonly model: string
}

export interface DeclaredBudget {
  readonly path: string
  readonly scope: (typeof declaredScopes)[number]
  /** The name of what it is on; the e-mail address of a user. */
  readonly name: string
  readonly period: (typeof declaredPeriods)[number]
  readonly timeZone: string
  /** In 10^-9 of the currency. */
  readonly amount: number
  readonly hard: boolean
  readonly thresholds: readonly number[]
}

/** Everything declared in the file; models of all providers are in one list, composites come last. */
export interface Declared {
  readonly providers: readonly DeclaredProvider[]
  readonly models: readonly DeclaredModel[]
  readonly groups: readonly DeclaredGroup[]
  readonly users: readonly DeclaredUser[]
  readonly aliases: readonly DeclaredAlias[]
  readonly budgets: readonly DeclaredBudget[]
}

export interface DeclaredReference {
  readonly path: string
  readonly kind: 'provider' | 'group' | 'user' | 'model'
  readonly name: string
}

/** Names that are used but not declared: to be found in the store, or refused, at start. */
export function unresolvedReferences(declared: Declared): readonly DeclaredReference[] {
  const known = {
    provider: new Set(declared.providers.map((provider) => provider.name)),
    group: new Set(['everyone', ...declared.groups.map((group) => group.name)]),
    user: new Set(declared.users.map((user) => user.email)),
    model: new Set(declared.models.map((model) => model.name)),
  }
  const used: readonly DeclaredReference[] = [
    ...declared.models.flatMap(({ path, target, groups, rules }): DeclaredReference[] => [
      ...targetReferences(path, target),
      ...groups.map((name, index): DeclaredReference => ({ path: `${path}.groups[${index}]`, kind: 'group', name })),
      ...redirectsIn(rules).map(({ purpose, model }): DeclaredReference => ({
        path: `${path}.rules.${purpose}.model`,
        kind: 'model',
        name: model,
      })),
    ]),
    ...declared.groups.flatMap(({ path, members }) =>
      (members ?? []).map((name, index): DeclaredReference => ({
        path: `${path}.members[${index}]`,
        kind: 'user',
        name,
      })),
    ),
    ...declared.aliases.map(({ path, model }): DeclaredReference => ({ path, kind: 'model', name: model })),
    ...declared.budgets.map(({ path, scope, name }): DeclaredReference => ({
      path: `${path}.name`,
      kind: scope,
      name,
    })),
  ]
  return used.filter((reference) => !known[reference.kind].has(reference.name))
}

function targetReferences(path: string, target: DeclaredTarget): DeclaredReference[] {
  if (target.kind === 'plain') return [{ path: `${path}.provider`, kind: 'provider', name: target.provider }]
  return target.components.map(({ model }, index) => ({
    path: `${path}.components[${index}].model`,
    kind: 'model',
    name: model,
  }))
}

/** The redirects among the rules of a model, with the names that they lead to. */
export function redirectsIn(
  rules: DeclaredRules,
): readonly { readonly purpose: 'realtime' | 'batch'; readonly model: string }[] {
  return (['realtime', 'batch'] as const).flatMap((purpose) => {
    const rule = rules[purpose]
    return rule?.action === 'redirect' ? [{ purpose, model: rule.model }] : []
  })
}
