/** What the handlers of the admin API work with; built once by src/app.ts. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { CapQueue } from '#limits/cap-queue.ts'
import type { InflightLimiter } from '#limits/inflight.ts'
import type { LiveRequests } from '#gateway/usage/live-requests.ts'
import type { UpstreamHealth } from '#gateway/upstreams/upstream-health.ts'
import type { Sources } from '#documents/sources/sources.ts'
import type { Caller } from '#identity/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/seal.ts'
import type { Logger } from '#observe/log.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { OidcIssuer } from './oidc/issuer.ts'
import type { ReportGate } from './report-gate.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export interface Admin {
  /** The truth: what the handlers read and write. */
  readonly store: Store
  /** What requests are answered from; up to date once `feed.publish` has resolved. */
  readonly state: LiveState
  readonly feed: ChangeFeed
  readonly providers: ProviderPool
  readonly inflight: InflightLimiter
  readonly caps: Pick<CapQueue, 'waiting'>
  /** What this process has seen of each upstream. */
  readonly health: UpstreamHealth
  /** Requests as they end, for people who watch. */
  readonly live: LiveRequests
  /** As `Gateway.callerNow`. */
  readonly callerNow: (caller: Caller) => Caller | null
  /** The server takes no new requests any more. */
  readonly draining: () => boolean
  readonly webhooks: Webhooks
  readonly sources: Pick<Sources, 'dryRun'>
  readonly settings: LiveSettings
  readonly clock: Clock
  /** The version of this server, as people name it. */
  readonly version: string
  readonly logger: Logger
  readonly signInGuard: SignInGuard
  readonly reports: ReportGate
  readonly audit: AuditLog
  /** The first one of `auth.oidc.issuer`, then those of `auth.oidc.more`. */
  readonly issuers: readonly OidcIssuer[]
  /** Seals what a browser keeps for this server; the same on all replicas. */
  readonly sealer: Sealer
}
