/** All routes of the admin API. A new resource is one file with its routes and one line here. */
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { aboutRoutes } from './about.ts'
import type { Admin } from './admin.ts'
import { groupRoutes } from './groups.ts'
import { keyRoutes } from './keys.ts'
import { limitRoutes } from './limits.ts'
import { meRoutes } from './me.ts'
import { modelHealthRoutes } from './model-health.ts'
import { modelRoutes } from './models.ts'
import { OidcIssuer } from './oidc/issuer.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { providerHealthRoutes } from './provider-health.ts'
import { providerRoutes } from './providers.ts'
import { sessionRoutes } from './session-routes.ts'
import { settingRoutes } from './settings.ts'
import { SignInGuard } from './sign-in-guard.ts'
import { usageRoutes } from './usage.ts'
import { userRoutes } from './users.ts'

/** The rows for the route table of one process. */
export function adminRoutes(deps: Omit<Admin, 'signInGuard' | 'issuer'>): Route<Caller>[] {
  const { clock, settings } = deps
  const limits = () => ({
    attempts: settings.get('auth.sign_in_attempts'),
    lockSeconds: settings.get('auth.sign_in_lock_seconds'),
  })
  const admin: Admin = {
    ...deps,
    signInGuard: new SignInGuard(clock, limits),
    issuer: new OidcIssuer(settings, clock),
  }
  return [
    ...sessionRoutes(admin),
    ...oidcRoutes(admin),
    ...meRoutes(admin),
    ...userRoutes(admin),
    ...groupRoutes(admin),
    ...keyRoutes(admin),
    ...providerRoutes(admin),
    ...providerHealthRoutes(admin),
    ...modelRoutes(admin),
    ...modelHealthRoutes(admin),
    ...limitRoutes(admin),
    ...usageRoutes(admin),
    ...settingRoutes(admin),
    ...aboutRoutes(admin),
  ]
}
