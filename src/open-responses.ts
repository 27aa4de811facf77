/** The part of the composition root for stored responses: those of providers, and those that the gateway keeps itself. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { BackgroundResponses } from '#gateway/responses/background-responses.ts'
import { KeptResponses } from '#gateway/responses/kept-responses.ts'
import { ResponseRegistry } from '#gateway/responses/response-registry.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Store } from '#store/store.ts'

export interface OpenResponsesOptions {
  readonly settings: LiveSettings
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/** Who owns the responses that providers store. */
export function openRegistry({ store, logger }: Pick<OpenResponsesOptions, 'store' | 'logger'>): ResponseRegistry {
  return new ResponseRegistry({
    store: store.responses,
    onError: (error) => logger.error('which provider holds a response could not be written', { error }),
  })
}

/** What keeps responses and conversations, and makes some while no client waits. */
export function openKept({
  store,
  settings,
  clock,
  logger,
}: OpenResponsesOptions): Pick<Gateway, 'keptResponses' | 'background'> {
  const keptResponses = new KeptResponses({
    responses: store.keptResponses,
    conversations: store.conversations,
    settings,
    clock,
    onError: (error) => logger.error('a response could not be kept', { error }),
  })
  const background = new BackgroundResponses({
    kept: keptResponses,
    settings,
    now: store.now ?? (() => Promise.resolve(clock.now())),
    onError: (error) => logger.error('the end of a response in the background could not be written', { error }),
  })
  return { keptResponses, background }
}
