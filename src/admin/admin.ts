/** What the stories of the admin API work with; built once by src/app.ts. */
import type { LiveSettings } from '#config/live-settings.ts'
import type { InflightLimiter } from '#gateway/inflight.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export interface Admin {
  /** The truth: what the stories read and write. */
  readonly store: Store
  /** What requests are answered from; up to date once `feed.publish` has resolved. */
  readonly state: LiveState
  readonly feed: ChangeFeed
  readonly providers: ProviderPool
  readonly inflight: InflightLimiter
  readonly settings: LiveSettings
  readonly clock: Clock
  readonly logger: Logger
  readonly signInGuard: SignInGuard
}
