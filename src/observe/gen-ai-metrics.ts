/**
 * Metrics under the names of OpenTelemetry's semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/), as Prometheus writes them: dots are
 * underscores, and the unit is the end of the name. Labels and bounds are those of the conventions.
 */
import type { FinishedRequest } from './finished-request.ts'
import { labelBound, type MetricRegistry, type Recorder } from './metric-registry.ts'

const operations: Readonly<Record<string, string>> = {
  'chat/completions': 'chat',
  messages: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
}

/** `gen_ai.operation.name` of an endpoint; its own name where the conventions have none. */
export function operationOf(endpoint: string): string {
  return operations[endpoint] ?? endpoint
}

const labels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const firstTokenBuckets = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const perTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
/** Powers of four. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** Observes each request that ended at a model of the catalog. */
export function genAiRecorder(registry: MetricRegistry, codeOf: (code: string) => string) {
  const duration = registry.histogram({
    name: 'gen_ai_server_request_duration_seconds',
    help: 'From the first header in to the last byte out.',
    labels: [...labels, 'error_type'],
    buckets: durationBuckets,
  })
  const firstToken = registry.histogram({
    name: 'gen_ai_server_time_to_first_token_seconds',
    help: "From the first header in to the answer's first byte out, of requests that succeeded.",
    labels,
    buckets: firstTokenBuckets,
  })
  const perToken = registry.histogram({
    name: 'gen_ai_server_time_per_output_token_seconds',
    help: 'Time of each token after the first one, of streams that succeeded.',
    labels,
    buckets: perTokenBuckets,
  })
  const usage = registry.histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of a request as its provider reports them.',
    labels: [...labels, 'gen_ai_token_type'],
    buckets: tokenBuckets,
  })
  const providerLabel = labelBound(200)
  const modelLabel = labelBound(1000)
  return (request: FinishedRequest): void => {
    if (request.modelServed === null) return
    const served = [
      operationOf(request.endpoint),
      providerLabel(request.provider ?? ''),
      modelLabel(request.modelServed),
    ] as const
    duration(request.durationMs / 1000, ...served, request.code === null ? '' : codeOf(request.code))
    tokens(usage, request, served)
    if (request.code !== null || request.firstTokenMs === null) return
    firstToken(request.firstTokenMs / 1000, ...served)
    const following = (request.completionTokens ?? 0) - 1
    // A whole answer comes with all its tokens at once.
    if (request.streamed && following > 0)
      perToken((request.durationMs - request.firstTokenMs) / 1000 / following, ...served)
  }
}

function tokens(usage: Recorder, request: FinishedRequest, served: readonly string[]): void {
  if (request.promptTokens !== null) usage(request.promptTokens, ...served, 'input')
  if (request.completionTokens !== null) usage(request.completionTokens, ...served, 'output')
}
