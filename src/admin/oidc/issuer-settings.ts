/** What the settings say of each OpenID Connect issuer: the first one of settings of its own, the others of a list. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { oidcIssuers, type OidcIssuerEntry } from '#config/settings/oidc-issuers.ts'
import { Secret } from '#lib/secret.ts'

export interface IssuerSettings {
  /** It is the one of `auth.oidc.issuer`. */
  readonly isFirst: boolean
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret | null
  readonly scopes: readonly string[]
  readonly label: string
  readonly autoCreate: boolean
  readonly allowedDomains: readonly string[]
  readonly trustEmail: boolean
  readonly groupsClaim: string
  readonly groupMap: Readonly<Record<string, string>>
  readonly adminGroups: readonly string[]
}

export interface ConfiguredIssuer {
  /** The part of its addresses here; empty for the first one. */
  readonly name: string
  /** Its settings of this moment; null when it is not configured. */
  readonly read: () => IssuerSettings | null
}

/** All issuers; the first is there also when it is not configured. */
export function configuredIssuers(settings: LiveSettings): readonly ConfiguredIssuer[] {
  const more = oidcIssuers(settings.get('auth.oidc.more')?.reveal() ?? '[]').map((entry) => {
    const known = settingsOf(entry)
    return { name: entry.name, read: () => known }
  })
  return [{ name: '', read: () => firstIssuer(settings) }, ...more]
}

function firstIssuer(settings: LiveSettings): IssuerSettings | null {
  const [issuer, clientId] = [settings.get('auth.oidc.issuer'), settings.get('auth.oidc.client_id')]
  if (issuer === null || clientId === null) return null
  return {
    isFirst: true,
    issuer,
    clientId,
    clientSecret: settings.get('auth.oidc.client_secret'),
    scopes: settings.get('auth.oidc.scopes'),
    label: settings.get('auth.oidc.button_label'),
    autoCreate: settings.get('auth.oidc.auto_create'),
    allowedDomains: settings.get('auth.oidc.allowed_domains'),
    trustEmail: settings.get('auth.oidc.trust_email'),
    groupsClaim: settings.get('auth.oidc.groups_claim'),
    groupMap: settings.get('auth.oidc.group_map'),
    adminGroups: settings.get('auth.oidc.admin_groups'),
  }
}

function settingsOf(entry: OidcIssuerEntry): IssuerSettings {
  return {
    isFirst: false,
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret: entry.client_secret === null ? null : new Secret(entry.client_secret),
    scopes: entry.scopes,
    label: entry.button_label ?? entry.name,
    autoCreate: entry.auto_create,
    allowedDomains: entry.allowed_domains,
    trustEmail: entry.trust_email,
    groupsClaim: entry.groups_claim,
    groupMap: entry.group_map,
    adminGroups: entry.admin_groups,
  }
}
