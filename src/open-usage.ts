/** The part of the composition root for what is recorded of requests: usage records, their journal, and traces. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ContentLog } from '#gateway/content/content-log.ts'
import type { ContentJobs } from '#gateway/content/content-thread.ts'
import { recoverJournals } from '#gateway/usage/recover-journals.ts'
import { UsageJournal, type JournalOptions } from '#gateway/usage/usage-journal.ts'
import { LiveRequests } from '#gateway/usage/live-requests.ts'
import { UsageRecorder, type TraceOptions } from '#gateway/usage/usage-recorder.ts'
import type { Clock } from '#lib/clock.ts'
import { Loop } from '#lib/loop.ts'
import { ownScript } from '#lib/own-scripts.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import { TraceExporter } from '#observe/traces/trace-exporter.ts'
import type { Store } from '#store/store.ts'
import { JobThread } from '#store/threads/job-thread.ts'

export interface OpenUsageOptions {
  readonly settings: LiveSettings
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
  /** Where usage records wait for the database; left out: in memory alone. */
  readonly journalDirectory?: string
}

/** What the log of content is made of. */
export interface ContentOptions {
  readonly settings: LiveSettings
  readonly store: Pick<Store, 'contentLogs'>
  readonly logger: Logger
  readonly groupName: (id: string) => string | undefined
}

export interface OpenUsage {
  readonly recorder: UsageRecorder
  /** Writes what processes that are gone have left, and says that this one lives; null without a journal. */
  readonly tendJournals: (() => Promise<void>) | null
  readonly live: LiveRequests
  /** Takes spans; null when no collector is set. */
  readonly traces: TraceOptions | null
}

const traceFlushMs = 1000

/** What is opened here is closed with `opening`, after the records have been flushed. */
export function openUsage(options: OpenUsageOptions, metrics: Metrics, opening: AsyncDisposableStack): OpenUsage {
  const { settings, store, clock, logger, journalDirectory } = options
  const id = crypto.randomUUID()
  const [journal, ahead] = [openJournal(options, { id, kind: 'journal' }), openJournal(options, { id, kind: 'ahead' })]
  if (journal !== null) opening.use(journal)
  if (ahead !== null) opening.use(ahead)
  const write = store.usage.write.bind(store.usage)
  const onRefused = (file: string, error: unknown): void =>
    logger.error('a journal of usage records is refused by the database and was set aside', { file, error })
  const queueMax = settings.get('usage.queue_max')
  const traces = openTraces(options, opening)
  const recorder = new UsageRecorder({
    metrics,
    write,
    queueMax,
    journal,
    ahead: ahead ?? undefined,
    traces,
    log: (row) => {
      if (settings.get('log.requests')) logger.info('a request has ended', { ...row })
    },
  })
  const live = opening.use(new LiveRequests({ recorder, channel: store.liveChannel }))
  if (journal === null || journalDirectory === undefined) return { recorder, live, traces, tendJournals: null }
  return {
    recorder,
    live,
    traces,
    async tendJournals() {
      await journal.beat(new Date(clock.now()))
      await ahead?.beat(new Date(clock.now()))
      await recoverJournals({ directory: journalDirectory, write, now: () => clock.now(), onRefused })
    },
  }
}

function openJournal(
  { store, logger, journalDirectory }: OpenUsageOptions,
  names: Pick<JournalOptions, 'id' | 'kind'>,
): UsageJournal | null {
  if (journalDirectory === undefined) return null
  return new UsageJournal({
    ...names,
    directory: journalDirectory,
    onError: (error) => logger.error('usage records are in memory alone: their journal cannot be written', { error }),
    // What is left behind is looked at and found done.
    onForget(journal, upTo) {
      // The database knows the numbers of records that were written ahead only after a kill.
      if (names.kind === 'journal') void store.usage.forget(journal, upTo).catch(() => undefined)
    },
  })
}

/** The log of prompts and answers, which is flushed once more when `opening` is closed. Its thread starts with the first row. */
export function openContentLog(
  { settings, store, logger, groupName }: ContentOptions,
  metrics: Metrics,
  opening: AsyncDisposableStack,
): ContentLog {
  const script = ownScript('gateway/content/content-thread.ts')
  const thread = new JobThread<ContentJobs>({ script, data: null, whenIdle: 'keep', form: 'objects' })
  const contentLog = new ContentLog({
    settings,
    store: store.contentLogs,
    prepare: (raw, rules) => thread.run('prepare', raw, rules),
    groupName,
    onDropped: (requests) => metrics.contentDropped(requests),
  })
  const onError = (error: unknown): void => logger.error('content could not be logged yet', { error })
  opening.defer(() => thread.close())
  opening.defer(() => contentLog.flush().catch(onError))
  const intervalMs = settings.get('usage.flush_milliseconds')
  opening.use(new Loop({ intervalMs, work: () => contentLog.flush(), onError }))
  return contentLog
}

/** Null when no collector is set: then nothing of it is on the path of a request. */
function openTraces(
  { settings, logger, version }: OpenUsageOptions,
  opening: AsyncDisposableStack,
): TraceOptions | null {
  const url = settings.get('traces.otlp_url')
  if (url === null) return null
  const exporter = new TraceExporter({
    url,
    protocol: settings.get('traces.otlp_protocol'),
    headers: exporterHeaders(settings.get('traces.otlp_headers')?.reveal() ?? ''),
    resource: { 'service.name': 'sluice', 'service.version': version, 'service.instance.id': crypto.randomUUID() },
  })
  const onError = (error: unknown): void =>
    logger.warn('traces could not be sent', { error, dropped: exporter.dropped })
  opening.defer(() => exporter.flush().catch(onError))
  opening.use(new Loop({ intervalMs: traceFlushMs, work: () => exporter.flush(), onError }))
  return { ratio: () => settings.get('traces.sample_ratio'), add: (spans) => exporter.add(spans) }
}

/** `name=value` pairs, separated by commas, as OTEL_EXPORTER_OTLP_HEADERS has them. */
function exporterHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()))
  return Object.fromEntries(pairs.flatMap(([name = '', value = '']) => (name === '' ? [] : [[name, value]])))
}
