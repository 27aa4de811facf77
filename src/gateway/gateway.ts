/** What the stories of the gateway work with; built once by src/app.ts. */
import type { Catalog } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { EmbeddingBatcher } from './embedding-batch.ts'
import type { InflightLimiter } from './inflight.ts'
import type { UsageRecorder } from './record.ts'
import type { UpstreamHealth } from './upstream-health.ts'

export interface Gateway {
  readonly settings: LiveSettings
  /** The snapshot of this moment; a request takes it once. */
  readonly catalog: () => Catalog
  readonly providers: ProviderPool
  readonly embeddingBatcher: EmbeddingBatcher
  readonly inflight: InflightLimiter
  readonly health: UpstreamHealth
  readonly recorder: UsageRecorder
  readonly metrics: Metrics
  readonly ticker: Ticker
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}
