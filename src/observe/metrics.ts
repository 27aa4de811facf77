/**
 * The Prometheus metrics of one process: what is counted, under which names and labels.
 *
 * Recording is on the path of every request: a request costs about a microsecond here, and gauges
 * are read only at a scrape. No label can grow without bound: model and provider names
 * are those of the catalog, and anything past a label's limit is counted as `other`.
 */
import type { FinishedRequest } from './finished-request.ts'
import { labelBound, MetricRegistry, type MetricDefinition } from './metric-registry.ts'
import { requestRecorder, type RequestMetricsOptions } from './request-metrics.ts'

/** Values that others keep, read at each scrape. */
export interface GaugeSources {
  /** Requests in flight by canonical model name. */
  readonly inflight: () => Iterable<readonly [string, number]>
  /** Requests that wait for a model or provider with as many as it may have at once. */
  /** Large bodies of requests. */
  readonly bodies: () => { readonly used: number; readonly waiting: number }
  readonly queued: () => Iterable<readonly [{ readonly kind: string; readonly name: string }, number]>
  /** Usage rows that wait to be written. */
  readonly usageQueueDepth: () => number
  /** Documents by state. */
  readonly documents: () => Promise<Iterable<readonly [string, number]>>
  /** Deliveries of webhooks that wait; null in processes that do not count them. */
  readonly webhooksWaiting: () => Promise<number | null>
  /** Seconds for which this process has not heard of the database, from when that matters. */
  readonly outageSeconds: () => number
  /** Changes that could not be read. */
  readonly changesInDoubt: () => number
}

export interface MetricsOptions extends RequestMetricsOptions {
  readonly version: string
}

export interface Metrics {
  /** Counts a request that has ended, its duration and its tokens. */
  request(request: FinishedRequest): void
  /** Counts a request that ended before it had an account. Of the path only the area is kept. */
  refused(path: string, error: { readonly status: number; readonly code: string }): void
  /** Counts a request refused because its account has too many in flight. */
  inflightRefused(model: string): void
  /** Counts a request that a budget of this scope refused. */
  budgetRefused(scope: string): void
  /** Counts a request that cost more than the most that was expected. */
  budgetOverrun(model: string): void
  /** Counts a threshold of a budget that was reached. */
  budgetThreshold(scope: string, percent: number): void
  /** Counts a failed call to a provider; `reason` is one of our own error codes. */
  upstreamError(provider: string, reason: string): void
  /** Counts usage rows that were lost. */
  usageDropped(rows: number): void
  /** Counts requests whose content was to be logged and was not. */
  contentDropped(requests: number): void
  /** Counts a document whose work has ended here; `outcome` is `completed` or the code of what happened. */
  documentEnded(outcome: string): void
  /** Counts a file that a reader on another server was asked to read; `outcome` is `answered`, `refused` or `away`. */
  readerCall(reader: string, outcome: string, durationMs: number): void
  /** Counts an error of a machine that has run out of something: `storage_full` or `overloaded`. */
  resourceFault(fault: string): void
  /** Counts an attempt at a webhook; `outcome` is `delivered`, `retried` or `failed`. */
  webhookAttempt(outcome: string): void
  /** Observes how long a document was in a stage. */
  documentStage(stage: string, durationMs: number): void
  /** Connects the gauges; until then they show nothing. */
  watch(sources: GaugeSources): void
  /** What there is; without gauges that are not connected. */
  readonly definitions: readonly (MetricDefinition & { readonly type: string })[]
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>
  /** Media type of what `render` gives. */
  readonly contentType: string
}

const stageSecondsBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** Metrics in a registry of their own, all at zero. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new MetricRegistry()
  const recorders = {
    ...requestRecorder(registry, options),
    ...faultRecorders(registry),
    ...documentRecorders(registry),
    ...webhookRecorder(registry),
  }
  registry.gauge({ name: 'sluice_build_info', help: 'Always 1; tells the version.', labels: ['version'] }, () => [
    [[options.version], 1],
  ])
  processMetrics(registry)
  return {
    ...recorders,
    watch: (sources) => watchedGauges(registry, sources),
    get definitions() {
      return registry.definitions
    },
    render: () => registry.render(),
    contentType: registry.contentType,
  }
}

/** First segments of paths; a stranger chooses the path, so no other part of it may become a label. */
const areas = new Set(['ai', 'api', 'generate', 'generate_stream', 'image_generate', 'image_generate_stream', 'admin'])

function areaOf(path: string): string {
  const segment = path.split('/', 2)[1] ?? ''
  return areas.has(segment) ? segment : 'other'
}

type FaultRecorders = Pick<
  Metrics,
  | 'refused'
  | 'inflightRefused'
  | 'budgetRefused'
  | 'budgetOverrun'
  | 'budgetThreshold'
  | 'upstreamError'
  | 'usageDropped'
  | 'contentDropped'
>

function faultRecorders(registry: MetricRegistry): FaultRecorders {
  const modelLabel = labelBound(1000)
  const providerLabel = labelBound(200)
  const reasonLabel = labelBound(50)
  const refused = registry.counter({
    name: 'sluice_refused_total',
    help: 'Requests that ended before they had an account.',
    labels: ['area', 'status', 'code'],
  })
  const inflightRefused = registry.counter({
    name: 'sluice_inflight_refused_total',
    help: 'Requests refused because their account had too many in flight.',
    labels: ['model'],
  })
  const budgets = budgetCounters(registry)
  const upstream = registry.counter({
    name: 'sluice_upstream_errors_total',
    help: 'Calls to a provider that failed.',
    labels: ['provider', 'reason'],
  })
  const dropped = registry.counter({
    name: 'sluice_usage_dropped_total',
    help: 'Usage rows lost because the queue was full.',
    labels: [],
  })
  dropped(0)
  const contentDropped = registry.counter({
    name: 'sluice_content_log_dropped_total',
    help: 'Requests whose content was to be logged and was not, because too much of it waited.',
    labels: [],
  })
  contentDropped(0)
  return {
    refused: (path, { status, code }) => refused(1, areaOf(path), String(status), reasonLabel(code)),
    inflightRefused: (model) => inflightRefused(1, modelLabel(model)),
    ...budgets,
    upstreamError: (provider, reason) => upstream(1, providerLabel(provider), reasonLabel(reason)),
    usageDropped: (rows) => dropped(rows),
    contentDropped: (requests) => contentDropped(requests),
  }
}

function budgetCounters(
  registry: MetricRegistry,
): Pick<Metrics, 'budgetRefused' | 'budgetOverrun' | 'budgetThreshold'> {
  const modelLabel = labelBound(1000)
  const refused = registry.counter({
    name: 'sluice_budget_refused_total',
    help: 'Requests refused because a budget did not have what they can cost.',
    labels: ['scope'],
  })
  const overrun = registry.counter({
    name: 'sluice_budget_overruns_total',
    help: 'Requests that cost more than the most that was expected.',
    labels: ['model'],
  })
  const threshold = registry.counter({
    name: 'sluice_budget_thresholds_total',
    help: 'Thresholds of budgets that were reached.',
    labels: ['scope', 'percent'],
  })
  return {
    budgetRefused: (scope) => refused(1, scope),
    budgetOverrun: (model) => overrun(1, modelLabel(model)),
    budgetThreshold: (scope, percent) => threshold(1, scope, String(percent)),
  }
}

function documentRecorders(
  registry: MetricRegistry,
): Pick<Metrics, 'documentEnded' | 'documentStage' | 'readerCall' | 'resourceFault'> {
  const outcomeLabel = labelBound(50)
  const stageLabel = labelBound(10)
  const readerLabel = labelBound(20)
  const ended = registry.counter({
    name: 'sluice_documents_total',
    help: 'Documents whose work has ended in this process, by outcome: completed, the code of the failure, retried, given_back, lease_lost.',
    labels: ['outcome'],
  })
  const stage = registry.histogram({
    name: 'sluice_document_stage_seconds',
    help: 'How long documents were in each stage.',
    labels: ['stage'],
    buckets: stageSecondsBuckets,
  })
  const calls = registry.histogram({
    name: 'sluice_reader_call_seconds',
    help: 'How long readers on other servers took for a file, by outcome: answered, refused (this file), away.',
    labels: ['reader', 'outcome'],
    buckets: stageSecondsBuckets,
  })
  const faults = registry.counter({
    name: 'sluice_resource_faults_total',
    help: 'Errors of imports, documents and their storage because the disk is full (storage_full) or there are no more files or processes (overloaded).',
    labels: ['fault'],
  })
  return {
    readerCall: (reader, outcome, durationMs) => calls(durationMs / 1000, readerLabel(reader), outcome),
    resourceFault: (fault) => faults(1, fault),
    documentEnded: (outcome) => ended(1, outcomeLabel(outcome)),
    documentStage: (name, durationMs) => stage(durationMs / 1000, stageLabel(name)),
  }
}

function webhookRecorder(registry: MetricRegistry): Pick<Metrics, 'webhookAttempt'> {
  const attempts = registry.counter({
    name: 'sluice_webhook_attempts_total',
    help: 'Attempts of this process to deliver a webhook, by outcome: delivered, retried, failed.',
    labels: ['outcome'],
  })
  return { webhookAttempt: (outcome) => attempts(1, outcome) }
}

function watchedGauges(registry: MetricRegistry, sources: GaugeSources): void {
  registry.gauge({ name: 'sluice_inflight_requests', help: 'Requests in flight now.', labels: ['model'] }, () =>
    [...sources.inflight()].map(([model, count]) => [[model], count] as const),
  )
  registry.gauge(
    {
      name: 'sluice_queue_waiting',
      help: 'Requests that wait now for a model or provider with as many as it may have at once.',
      labels: ['kind', 'name'],
    },
    () => [...sources.queued()].map(([{ kind, name }, count]) => [[kind, name], count] as const),
  )
  registry.gauge({ name: 'sluice_body_bytes', help: 'Bytes of large request bodies in memory now.' }, () => [
    [[], sources.bodies().used],
  ])
  registry.gauge({ name: 'sluice_bodies_waiting', help: 'Large requests that wait now for room in memory.' }, () => [
    [[], sources.bodies().waiting],
  ])
  registry.gauge({ name: 'sluice_usage_queue_depth', help: 'Usage rows that wait to be written.' }, () => [
    [[], sources.usageQueueDepth()],
  ])
  registry.gauge(
    {
      name: 'sluice_outage_seconds',
      help: 'Seconds since the last heartbeat while the database cannot be reached; 0 while it can.',
    },
    () => [[[], sources.outageSeconds()]],
  )
  registry.gauge(
    { name: 'sluice_changes_in_doubt', help: 'Changes that cannot be read; what they name is refused.' },
    () => [[[], sources.changesInDoubt()]],
  )
  registry.gauge({ name: 'sluice_documents', help: 'Documents by state.', labels: ['state'] }, async () =>
    [...(await sources.documents())].map(([state, count]) => [[state], count] as const),
  )
  registry.gauge(
    { name: 'sluice_webhooks_waiting', help: 'Deliveries of webhooks that wait; from one process for all.' },
    async () => {
      const waiting = await sources.webhooksWaiting()
      return waiting === null ? [] : [[[], waiting]]
    },
  )
}

function processMetrics(registry: MetricRegistry): void {
  const startedAtSeconds = Date.now() / 1000 - process.uptime()
  registry.gauge({ name: 'process_start_time_seconds', help: 'Start of the process, seconds since 1970.' }, () => [
    [[], startedAtSeconds],
  ])
  registry.gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process that is in RAM.' }, () => [
    [[], process.memoryUsage.rss()],
  ])
  registry.gauge(
    { name: 'process_cpu_seconds_total', help: 'CPU time of the process, user and system.' },
    () => {
      const { user, system } = process.cpuUsage()
      return [[[], (user + system) / 1_000_000]]
    },
    'counter',
  )
  registry.gauge(
    {
      name: 'sluice_event_loop_lag_seconds',
      help: 'How long a task that was ready had to wait, measured at the scrape.',
    },
    async () => {
      const readyAt = performance.now()
      await new Promise<void>((resolve) => setImmediate(resolve))
      return [[[], (performance.now() - readyAt) / 1000]]
    },
  )
}
