/**
 * The load that a model server reports of itself at `/metrics`: requests it works on, requests that wait in it, and how full
 * its cache is. Names of vLLM (https://docs.vllm.ai/en/stable/usage/metrics/), SGLang
 * (https://docs.sglang.io/references/production_metrics.html), text-generation-inference
 * (https://huggingface.co/docs/text-generation-inference/reference/metrics) and llama.cpp (`llama-server --metrics`).
 */

export interface ServerLoad {
  readonly running: number
  readonly waiting: number
  /** From 0 to 1; null where the server does not tell. */
  readonly cacheUse: number | null
}

interface Gauges {
  readonly running: string
  readonly waiting: string
  /** The first that is there. */
  readonly cacheUse: readonly string[]
}

const dialects: readonly Gauges[] = [
  {
    running: 'vllm:num_requests_running',
    waiting: 'vllm:num_requests_waiting',
    cacheUse: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
  },
  { running: 'sglang:num_running_reqs', waiting: 'sglang:num_queue_reqs', cacheUse: ['sglang:token_usage'] },
  { running: 'tgi_batch_current_size', waiting: 'tgi_queue_size', cacheUse: [] },
  {
    running: 'llamacpp:requests_processing',
    waiting: 'llamacpp:requests_deferred',
    cacheUse: ['llamacpp:kv_cache_usage_ratio'],
  },
]

/** The load in a Prometheus exposition; null when it is not that of a server that this file knows. */
export function loadOf(exposition: string): ServerLoad | null {
  for (const { running, waiting, cacheUse } of dialects) {
    const [atWork, inQueue] = [valuesOf(exposition, running), valuesOf(exposition, waiting)]
    if (atWork.length === 0 && inQueue.length === 0) continue
    const use = cacheUse.map((name) => valuesOf(exposition, name)).find((values) => values.length > 0)
    // Several models or engines of one process are one machine.
    return {
      running: sumOf(atWork),
      waiting: sumOf(inQueue),
      cacheUse: use === undefined ? null : Math.min(1, Math.max(...use)),
    }
  }
  return null
}

/** The samples of a gauge, whatever its labels; what is not a count is left out. */
function valuesOf(exposition: string, name: string): readonly number[] {
  const values: number[] = []
  for (let at = exposition.indexOf(name); at >= 0; at = exposition.indexOf(name, at + name.length)) {
    const isLineStart = at === 0 || exposition[at - 1] === '\n'
    if (!isLineStart) continue
    const end = exposition.indexOf('\n', at)
    const line = exposition.slice(at + name.length, end < 0 ? exposition.length : end)
    const value = Number(/^(?:\{.*\})?[ \t]+(\S+)/.exec(line)?.[1] ?? Number.NaN)
    if (Number.isFinite(value) && value >= 0) values.push(value)
  }
  return values
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
