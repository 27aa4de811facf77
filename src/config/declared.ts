/**
 * What the configuration file declares besides settings, checked. Names that the file refers to but
 * does not declare (the provider of a model, the groups of a model, the members of a group, the
 * model of an alias) may be in the store: `unresolvedReferences` lists them, and whoever has the
 * store open has to find them there or refuse to start. `kind` is checked by the provider registry.
 */
import type { Secret } from '#lib/secret.ts'

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
  readonly enabled: boolean
}

export interface DeclaredCapabilities {
  readonly endpoints?: readonly string[]
  readonly input?: readonly string[]
  readonly tools?: boolean
  readonly jsonSchema?: boolean
  readonly reasoning?: boolean
}

export interface DeclaredModel {
  readonly path: string
  readonly name: string
  /** Name of its provider. */
  readonly provider: string
  readonly upstreamName: string
  /** Those written with the model; see also `Declared.aliases`. */
  readonly aliases: readonly string[]
  /** Names. `everyone` stands for all users, and is what is meant when none are written. */
  readonly groups: readonly string[]
  readonly description: string
  readonly active: boolean
  readonly contextLength: number | null
  readonly capabilities: DeclaredCapabilities
  readonly inflightLimit: number | null
  readonly timeouts: DeclaredTimeouts
}

export interface DeclaredGroup {
  readonly path: string
  readonly name: string
  readonly description: string
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
  readonly password: Secret | null
  readonly disabled: boolean
}

export interface DeclaredAlias {
  readonly path: string
  readonly alias: string
  /** Canonical name of the model. */
  readonly model: string
}

/** Everything declared in the file; models of all providers are in one list. */
export interface Declared {
  readonly providers: readonly DeclaredProvider[]
  readonly models: readonly DeclaredModel[]
  readonly groups: readonly DeclaredGroup[]
  readonly users: readonly DeclaredUser[]
  readonly aliases: readonly DeclaredAlias[]
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
    ...declared.models.flatMap(({ path, provider, groups }): DeclaredReference[] => [
      { path: `${path}.provider`, kind: 'provider', name: provider },
      ...groups.map((name, index): DeclaredReference => ({ path: `${path}.groups[${index}]`, kind: 'group', name })),
    ]),
    ...declared.groups.flatMap(({ path, members }) =>
      (members ?? []).map((name, index): DeclaredReference => ({
        path: `${path}.members[${index}]`,
        kind: 'user',
        name,
      })),
    ),
    ...declared.aliases.map(({ path, model }): DeclaredReference => ({ path, kind: 'model', name: model })),
  ]
  return used.filter((reference) => !known[reference.kind].has(reference.name))
}
