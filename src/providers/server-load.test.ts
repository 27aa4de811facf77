/** Expositions as the servers write them, shortened. */
import { expect, test } from 'bun:test'
import { loadOf } from './server-load.ts'

const vllm = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 3.0
vllm:num_requests_running{engine="1",model_name="unsloth/Llama-3.2-1B-Instruct"} 4.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 2.0
vllm:num_requests_waiting{engine="1",model_name="unsloth/Llama-3.2-1B-Instruct"} 0.0
# HELP vllm:num_requests_waiting_by_reason Waiting requests by reason.
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 77.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="unsloth/Llama-3.2-1B-Instruct"} 0.5
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="0.001",model_name="unsloth/Llama-3.2-1B-Instruct"} 0.0
`
const earlierVllm = `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="a } b"} 1.0
# TYPE vllm:num_requests_swapped gauge
vllm:num_requests_swapped{model_name="a } b"} 0.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{model_name="a } b"} 0.0
# TYPE vllm:gpu_cache_usage_perc gauge
vllm:gpu_cache_usage_perc{model_name="a } b"} 1.2e-01
`
const sglang = `# HELP sglang:token_usage The token usage
# TYPE sglang:token_usage gauge
sglang:token_usage{model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.28
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 162.0
# TYPE sglang:num_used_tokens gauge
sglang:num_used_tokens{model_name="meta-llama/Llama-3.1-8B-Instruct"} 123859.0
# TYPE sglang:num_queue_reqs gauge
sglang:num_queue_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 2826.0
`
const tgi = `# TYPE tgi_queue_size gauge
tgi_queue_size 5
# TYPE tgi_batch_current_size gauge
tgi_batch_current_size 12
# TYPE tgi_batch_current_max_tokens gauge
tgi_batch_current_max_tokens 9000
`
const llama = `# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 0
# TYPE llamacpp:kv_cache_usage_ratio gauge
llamacpp:kv_cache_usage_ratio 0.0625
`

test.each([
  ['vLLM', vllm, { running: 7, waiting: 2, cacheUse: 0.5 }],
  ['vLLM before 0.10', earlierVllm, { running: 1, waiting: 0, cacheUse: 0.12 }],
  ['SGLang', sglang, { running: 162, waiting: 2826, cacheUse: 0.28 }],
  ['text-generation-inference', tgi, { running: 12, waiting: 5, cacheUse: null }],
  ['llama.cpp', llama, { running: 1, waiting: 0, cacheUse: 0.0625 }],
  [
    'llama.cpp with CRLF and no last line end',
    llama.trim().replaceAll('\n', '\r\n'),
    { running: 1, waiting: 0, cacheUse: 0.0625 },
  ],
])('the load of %s', (_, exposition, load) => {
  expect(loadOf(exposition)).toEqual(load)
})

test.each([
  ['nothing', ''],
  ['a page', '<html>vllm:num_requests_running 3</html>'],
  ['another program', '# TYPE go_goroutines gauge\ngo_goroutines 12\n'],
  ['what is not a number', 'vllm:num_requests_running{model_name="x"} many\nvllm:num_requests_waiting NaN\n'],
  ['less than nothing', 'tgi_queue_size -1\ntgi_batch_current_size +Inf\n'],
])('%s says nothing', (_, exposition) => {
  expect(loadOf(exposition)).toBeNull()
})
