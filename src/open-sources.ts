/** The sources' part of the composition root: what looks at them, and the loop that does so when they are due. */
import { callerLookup } from '#documents/callers.ts'
import type { Documents } from '#documents/documents.ts'
import { SourceClient } from '#documents/web/source-client.ts'
import { Sources } from '#documents/sources/sources.ts'
import type { Gateway } from '#gateway/gateway.ts'
import { AnySignal } from '#lib/any-signal.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { Loop } from '#lib/loop.ts'
import type { Leader } from '#replica/leader.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import { operator } from './authorize.ts'

export interface OpenSourcesOptions {
  readonly store: Store
  readonly state: LiveState
  readonly gateway: Gateway
  readonly documents: Documents
  readonly leader: Leader
  readonly proxyFor?: ProxyFor | undefined
}

const lookEveryMs = 1000

/** What is opened here is closed with `opening`, in reverse. One process looks at all sources; another takes over when it ends. */
export function openSources(options: OpenSourcesOptions, opening: AsyncDisposableStack): Sources {
  const { store, state, gateway, documents, leader, proxyFor } = options
  const { settings, clock, ticker, logger } = gateway
  const client = opening.use(
    new SourceClient({
      clock,
      ticker,
      proxyFor,
      allowsPrivate: () => settings.get('documents.sources_allow_private'),
      allowedBy: 'documents.sources_allow_private',
      timeoutMs: () => settings.get('documents.source_timeout_seconds') * 1000,
    }),
  )
  const callerOf = callerLookup(state.directory, operator)
  const sources = new Sources({ store: store.sources, documents, client, callerOf, logger })
  const stop = new AbortController()
  opening.use(
    new Loop({
      intervalMs: lookEveryMs,
      work: async () => {
        await leader.run('sources of documents', async (signal) => {
          using either = new AnySignal([signal, stop.signal])
          await sources.runDue(either.signal)
        })
      },
      onError: (error) => logger.error('looking at sources failed', { error }),
    }),
  )
  opening.defer(() => stop.abort())
  return sources
}
