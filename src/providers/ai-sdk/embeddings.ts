/**
 * Embeddings through the AI SDK's model interface: in calls as large as the vendor takes, in the
 * order of the inputs.
 * Shape: https://platform.openai.com/docs/api-reference/embeddings
 */
import type { EmbeddingModelV4, EmbeddingModelV4CallOptions } from '@ai-sdk/provider'
import { UpstreamFailure } from '../provider.ts'
import { refuseIgnored } from './answer.ts'
import type { EmbeddingRequest } from './chat-request.ts'
import { notSupported } from './problem.ts'
import type { Options, Vendor } from './vendor.ts'

/** Calls of one request that run at the same time, where the vendor takes several. */
const callsAtOnce = 4

/** The embeddings object. Throws a Problem for a length of vectors that cannot be set. */
export async function embeddingsAnswer(
  request: EmbeddingRequest,
  vendor: Vendor,
  model: EmbeddingModelV4,
  signal: AbortSignal,
): Promise<object> {
  const values = typeof request.input === 'string' ? [request.input] : request.input
  const batches = batchesOf(values, (await model.maxEmbeddingsPerCall) ?? values.length)
  const width = (await model.supportsParallelCalls) ? callsAtOnce : 1
  const options = { abortSignal: signal, ...providerOptions(request, vendor, model.modelId) }
  const vectors: number[][] = []
  let tokens: number | null = 0
  for (let at = 0; at < batches.length; at += width) {
    const wave = batches.slice(at, at + width).map((batch) => embedded(model, { ...options, values: batch }))
    for (const { embeddings, usage } of await Promise.all(wave)) {
      vectors.push(...embeddings)
      tokens = usage === undefined || tokens === null ? null : tokens + usage.tokens
    }
  }
  const packed = request.encoding_format === 'base64'
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: packed ? base64(vector) : vector })),
    model: model.modelId,
    // Some vendors tell no count, and none is guessed.
    ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  }
}

async function embedded(
  model: EmbeddingModelV4,
  options: EmbeddingModelV4CallOptions,
): Promise<Awaited<ReturnType<EmbeddingModelV4['doEmbed']>>> {
  const result = await model.doEmbed(options)
  refuseIgnored(result.warnings)
  if (result.embeddings.length === options.values.length) return result
  throw new UpstreamFailure(
    'protocol',
    new Error(`${options.values.length} inputs, ${result.embeddings.length} vectors`),
  )
}

function providerOptions(
  request: EmbeddingRequest,
  vendor: Vendor,
  model: string,
): Pick<EmbeddingModelV4CallOptions, 'providerOptions'> {
  const tasks = (['input_type', 'task_type'] as const).flatMap((field) => {
    const [option, value] = [vendor.embeddingTasks[field], request[field]]
    return option !== undefined && value ? [[option, value] as const] : []
  })
  if (!request.dimensions && tasks.length === 0) return {}
  const length: Options | null = request.dimensions ? vendor.embeddingOptions(request.dimensions, model) : {}
  if (length === null) throw notSupported('dimensions', "the length of this model's vectors cannot be set.")
  const own = { ...(length as Record<string, number>), ...Object.fromEntries(tasks) }
  return { providerOptions: { [vendor.namespace]: own } }
}

function batchesOf(values: readonly string[], size: number): string[][] {
  const batches: string[][] = []
  for (let at = 0; at < values.length; at += size) batches.push(values.slice(at, at + size))
  return batches
}

function base64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}
