/** All routes of the admin API. A new resource is one file with its routes and one line here. */
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { aboutRoutes } from './settings/about.ts'
import type { Admin } from './admin.ts'
import { AuditLog } from './audit/audit-log.ts'
import { auditRoutes } from './settings/audit.ts'
import { contentRoutes } from './content/content-logs.ts'
import { budgetRoutes } from './budgets/budgets.ts'
import { ownUsageRoute } from './budgets/own-usage.ts'
import { exportRoutes, type OpenExportFile } from './exports/exports.ts'
import { groupRoutes } from './users/groups.ts'
import { keyRoutes } from './keys/keys.ts'
import { limitRoutes } from './settings/limits.ts'
import { guideRoutes } from './session/guide.ts'
import { meRoutes } from './session/me.ts'
import { modelHealthRoutes } from './models/model-health.ts'
import { modelRoutes } from './models/models.ts'
import { simulateCompositeRoute } from './models/simulate-composite.ts'
import { OidcIssuer } from './oidc/issuer.ts'
import { configuredIssuers } from './oidc/issuer-settings.ts'
import { oidcRoutes } from './session/oidc-routes.ts'
import { rehearsalRoute } from './session/oidc-rehearsal.ts'
import { oidcTestRoute } from './session/oidc-test-route.ts'
import { foundProvidersRoute } from './providers/found-providers.ts'
import { providerHealthRoutes } from './providers/provider-health.ts'
import { providerRoutes } from './providers/providers.ts'
import { priceRoutes } from './prices/prices.ts'
import { ReportGate } from './report-gate.ts'
import { scimDiscoveryRoutes } from './scim/discovery.ts'
import { scimGroupRoutes } from './scim/groups.ts'
import { scimUserRoutes } from './scim/users.ts'
import { invitationSessionRoutes } from './session/invitation-routes.ts'
import { sessionRoutes } from './session/session-routes.ts'
import { settingRoutes } from './settings/settings.ts'
import { LocalSignInGuard, SharedSignInGuard } from './sign-in-guard.ts'
import { activityRoutes } from './usage/activity.ts'
import { latencyRoutes } from './usage/latency.ts'
import { liveRequestRoute } from './usage/live-requests.ts'
import { usageRoutes } from './usage/usage.ts'
import { bulkUserRoutes } from './users/bulk.ts'
import { invitationRoutes } from './users/invitations.ts'
import { userSessionRoutes } from './session/user-sessions.ts'
import { userRoutes } from './users/users.ts'
import { vectorIndexRoutes } from './settings/vector-index.ts'
import { sourceRoutes } from './sources/sources.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

export interface AdminDeps extends Omit<Admin, 'signInGuard' | 'reports' | 'issuers' | 'audit'> {
  readonly openExportFile: OpenExportFile
}

/** The rows for the route table of one process. */
export function adminRoutes({ openExportFile, ...deps }: AdminDeps): Route<Caller>[] {
  const { clock, settings, store } = deps
  const limits = () => ({
    attempts: settings.get('auth.sign_in_attempts'),
    lockSeconds: settings.get('auth.sign_in_lock_seconds'),
  })
  const admin: Admin = {
    ...deps,
    signInGuard:
      store.signInCounts === null
        ? new LocalSignInGuard(clock, limits)
        : new SharedSignInGuard(store.signInCounts, limits),
    reports: new ReportGate(),
    audit: new AuditLog(deps),
    issuers: configuredIssuers(settings).map((issuer) => new OidcIssuer(issuer, clock)),
  }
  return [
    ...sessionRoutes(admin),
    ...invitationSessionRoutes(admin),
    ...oidcRoutes(admin),
    oidcTestRoute(admin),
    rehearsalRoute(admin),
    ...meRoutes(admin),
    ...guideRoutes(admin),
    ...userRoutes(admin),
    ...bulkUserRoutes(admin),
    ...userSessionRoutes(admin),
    ...invitationRoutes(admin),
    ...groupRoutes(admin),
    ...keyRoutes(admin),
    ...providerRoutes(admin),
    foundProvidersRoute(admin),
    ...providerHealthRoutes(admin),
    ...modelRoutes(admin),
    ...modelHealthRoutes(admin),
    simulateCompositeRoute(admin),
    ...limitRoutes(admin),
    ...priceRoutes(admin),
    ...budgetRoutes(admin),
    ownUsageRoute(admin),
    ...usageRoutes(admin),
    ...latencyRoutes(admin),
    liveRequestRoute(admin),
    ...activityRoutes(admin),
    ...webhookRoutes(admin),
    ...sourceRoutes(admin),
    ...auditRoutes(admin),
    ...contentRoutes(admin),
    ...exportRoutes(admin, openExportFile),
    ...settingRoutes(admin),
    ...vectorIndexRoutes(admin),
    ...aboutRoutes(admin),
    ...scimUserRoutes(admin),
    ...scimGroupRoutes(admin),
    ...scimDiscoveryRoutes(admin),
  ]
}
