/** What the handlers of the gateway work with; built once by src/app.ts. */
import type { Catalog } from '#catalog/catalog.ts'
import type { BudgetLedger } from '#budgets/budget-ledger.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ByteBudget } from '#lib/byte-budget.ts'
import type { Clock } from '#lib/clock.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { ClientSecrets } from '#identity/client-secret.ts'
import type { Caller } from '#identity/records.ts'
import type { CapQueue } from '#limits/cap-queue.ts'
import type { InflightLimiter } from '#limits/inflight.ts'
import type { ContentLog } from './content/content-log.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import type { EmbeddingBatcher } from './embeddings/embedding-batcher.ts'
import type { SearchFiles } from './file-search/search-files.ts'
import type { Retrieve } from './grounding/retrieve.ts'
import type { FindFile } from './request/inline-files.ts'
import type { BackgroundResponses } from './responses/background-responses.ts'
import type { KeptResponses } from './responses/kept-responses.ts'
import type { ResponseRegistry } from './responses/response-registry.ts'
import type { PrefixAffinity } from './upstreams/affinity.ts'
import type { UpstreamHealth } from './upstreams/upstream-health.ts'
import type { LiveRequests } from './usage/live-requests.ts'
import type { UsageRecorder } from './usage/usage-recorder.ts'

export interface Gateway {
  readonly settings: LiveSettings
  /** The snapshot of this moment; a request takes it once. */
  readonly catalog: () => Catalog
  /** The caller of a request that has begun long ago, with the rights of now; null when there are none any more. */
  readonly callerNow: (caller: Caller) => Caller | null
  /** Makes the secrets with which pages open realtime sessions. */
  readonly clientSecrets: ClientSecrets
  readonly providers: ProviderPool
  readonly embeddingBatcher: EmbeddingBatcher
  /** Searches the documents for a chat; null where there are none. */
  readonly retrieve: Retrieve | null
  /** Searches vector stores; null where there are none. */
  readonly searchFiles: SearchFiles | null
  /** Finds the files that requests name; null where there are none. */
  readonly findFile: FindFile | null
  readonly inflight: InflightLimiter
  readonly rates: RateLimits
  /** Caps on requests under way at models and providers, and who waits for them. */
  readonly caps: CapQueue
  /** How much of the bodies of requests may be in memory at once. */
  readonly bodies: ByteBudget
  /** What this process may spend of hard budgets. */
  readonly budgets: BudgetLedger
  readonly health: UpstreamHealth
  readonly affinity: PrefixAffinity
  readonly recorder: UsageRecorder
  /** Shows requests as they end to people who watch. */
  readonly live: LiveRequests
  /** Logs prompts and answers where an administrator has switched that on. */
  readonly contentLog: ContentLog
  /** Who owns the responses that providers store. */
  readonly responses: ResponseRegistry
  /** The responses and conversations that the gateway keeps itself. */
  readonly keptResponses: KeptResponses
  /** Makes responses while no client waits. */
  readonly background: BackgroundResponses
  readonly metrics: Metrics
  readonly ticker: Ticker
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}
