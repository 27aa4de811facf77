/** What the generation handlers work with; built once by src/app.ts. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ByteBudget } from '#lib/byte-budget.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { ModelGates } from './fair-gate.ts'
import type { FlavourRegistry } from './upstream/flavour.ts'
import type { BeginSession } from './model-session.ts'

export interface Generation {
  readonly settings: LiveSettings
  readonly begin: BeginSession
  readonly providers: ProviderPool
  readonly flavours: FlavourRegistry
  readonly gates: ModelGates
  /** How much of the bodies of requests may be in memory at once. */
  readonly bodies: ByteBudget
  readonly ticker: Ticker
}
