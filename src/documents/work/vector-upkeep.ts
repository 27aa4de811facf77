/**
 * Keeps vectors where the settings want them: moves what is new, or all of them after a change of `documents.vector_index`.
 * Every process tries; the store lets one of them move at a time.
 */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { VectorChoice } from '#store/documents/vector-places.ts'

export interface VectorUpkeepOptions {
  readonly store: Pick<DocumentStore, 'moveVectors'>
  readonly settings: LiveSettings
  readonly clock: Clock
  readonly logger: Logger
}

/** How long nothing is looked for when all is in memory, where new vectors are by themselves. */
const restMs = 60_000

export class VectorUpkeep {
  readonly #options: VectorUpkeepOptions
  #last: { readonly choice: VectorChoice; readonly restUntil: number } | null = null
  /** What was logged last, so that a place that stays away is logged once. */
  #said: string | null = null

  constructor(options: VectorUpkeepOptions) {
    this.#options = options
  }

  /** Moves all that is to be moved, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, settings, clock } = this.#options
    const choice = settings.get('documents.vector_index') as VectorChoice
    if (this.#last?.choice === choice && clock.elapsed() < this.#last.restUntil) return
    for (;;) {
      const { target, sets, refusal } = await store.moveVectors(choice)
      this.#say(refusal)
      if (sets > 0 && !signal.aborted && settings.get('documents.vector_index') === choice) continue
      this.#last = { choice, restUntil: clock.elapsed() + (target === 'memory' ? restMs : 0) }
      return
    }
  }

  /** Says why vectors stay where they are. */
  failed(error: unknown): void {
    this.#say(error instanceof Error ? error.message : String(error))
  }

  #say(why: string | null): void {
    if (why !== null && why !== this.#said) this.#options.logger.warn('vectors are not moved to their index', { why })
    this.#said = why
  }
}
