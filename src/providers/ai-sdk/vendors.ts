/**
 * The vendors, one function each. A package is named by a literal import, so that it is found by
 * tools, and loaded by the first call of a provider of its kind.
 *
 * Every setting that the packages would otherwise take from the environment (keys, addresses,
 * regions) is given here: a provider is what its record says, and nothing else.
 */
import { isBuiltin } from 'node:module'
import type { ProviderRecord } from '#catalog/records.ts'
import { isObject } from '#lib/json-value.ts'
import { importPackage } from '#lib/own-scripts.ts'
import type { ChatRequest } from './chat-request.ts'
import { listAnthropic, listCohere, listGoogle, listMistral } from './listing.ts'
import { misconfigured } from './problem.ts'
import type { Options, Vendor } from './vendor.ts'

const packageNamePattern = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/u

/** What is known about the vendor of a record. Throws when the record lacks what the kind needs. */
export const vendors: Readonly<Record<string, (record: ProviderRecord) => Vendor>> = {
  anthropic(record) {
    const baseURL = record.baseUrl || 'https://api.anthropic.com/v1'
    return {
      kind: 'anthropic',
      packageName: '@ai-sdk/anthropic',
      load: () => import('@ai-sdk/anthropic'),
      factory: 'createAnthropic',
      settings: { apiKey: keyOf(record), baseURL },
      namespace: 'anthropic',
      unsupported: ['seed', 'presence_penalty', 'frequency_penalty'],
      jsonNeedsSchema: true,
      chatOptions: (request) => ({
        ...(request.parallel_tool_calls === false && { disableParallelToolUse: true }),
        ...(request.user && { metadata: { userId: request.user } }),
      }),
      embeddingOptions: () => null,
      embeddingTasks: {},
      listModels: (getJson) => listAnthropic(getJson, baseURL, keyOf(record)),
    }
  },

  google(record) {
    const baseURL = record.baseUrl || 'https://generativelanguage.googleapis.com/v1beta'
    return {
      kind: 'google',
      packageName: '@ai-sdk/google',
      load: () => import('@ai-sdk/google'),
      factory: 'createGoogle',
      settings: { apiKey: keyOf(record), baseURL },
      namespace: 'google',
      unsupported: ['parallel_tool_calls'],
      jsonNeedsSchema: false,
      // Gemini thinks without showing it unless asked to.
      chatOptions: (request) => (thinks(request) ? { thinkingConfig: { includeThoughts: true } } : {}),
      embeddingOptions: (dimensions) => ({ outputDimensionality: dimensions }),
      embeddingTasks: { task_type: 'taskType' },
      listModels: (getJson) => listGoogle(getJson, baseURL, keyOf(record)),
    }
  },

  mistral(record) {
    const baseURL = record.baseUrl || 'https://api.mistral.ai/v1'
    return {
      kind: 'mistral',
      packageName: '@ai-sdk/mistral',
      load: () => import('@ai-sdk/mistral'),
      factory: 'createMistral',
      settings: { apiKey: keyOf(record), baseURL },
      namespace: 'mistral',
      unsupported: ['top_k'],
      jsonNeedsSchema: false,
      chatOptions: (request) => ({
        ...(typeof request.parallel_tool_calls === 'boolean' && { parallelToolCalls: request.parallel_tool_calls }),
        ...(request.response_format?.json_schema?.strict && { strictJsonSchema: true }),
      }),
      embeddingOptions: (dimensions) => ({ outputDimension: dimensions }),
      embeddingTasks: {},
      listModels: (getJson) => listMistral(getJson, baseURL, keyOf(record)),
    }
  },

  cohere(record) {
    const baseURL = record.baseUrl || 'https://api.cohere.com/v2'
    return {
      kind: 'cohere',
      packageName: '@ai-sdk/cohere',
      load: () => import('@ai-sdk/cohere'),
      factory: 'createCohere',
      settings: { apiKey: keyOf(record), baseURL },
      namespace: 'cohere',
      unsupported: ['parallel_tool_calls'],
      jsonNeedsSchema: false,
      chatOptions: () => ({}),
      embeddingOptions: (dimensions) => ({ outputDimension: dimensions }),
      embeddingTasks: { input_type: 'inputType' },
      listModels: (getJson) => listCohere(getJson, baseURL, keyOf(record)),
    }
  },

  bedrock(record) {
    return {
      kind: 'bedrock',
      packageName: '@ai-sdk/amazon-bedrock',
      load: () => import('@ai-sdk/amazon-bedrock'),
      factory: 'createAmazonBedrock',
      settings: bedrockSettings(record),
      namespace: 'amazonBedrock',
      unsupported: ['seed', 'presence_penalty', 'frequency_penalty', 'parallel_tool_calls'],
      jsonNeedsSchema: true,
      chatOptions: () => ({}),
      embeddingOptions: bedrockDimensions,
      embeddingTasks: { input_type: 'inputType' },
      listModels: null,
    }
  },

  'ai-sdk'(record) {
    const { options } = record
    const packageName = text(options['package'])
    if (packageName === null || !packageNamePattern.test(packageName) || isBuiltin(packageName)) {
      throw misconfigured(
        'Set the option "package" of the provider to the name of an npm package, for example "@ai-sdk/groq".',
      )
    }
    const settings = isObject(options['settings']) ? options['settings'] : {}
    const credential = record.credential === null ? {} : { apiKey: record.credential.reveal() }
    return {
      kind: 'ai-sdk',
      packageName,
      load: () => importPackage(packageName) as Promise<Options>,
      factory: text(options['factory']),
      settings: { ...settings, ...credential, ...(record.baseUrl !== '' && { baseURL: record.baseUrl }) },
      namespace: text(options['namespace']) ?? packageName.replace(/^.*\//u, ''),
      unsupported: ['parallel_tool_calls'],
      jsonNeedsSchema: false,
      chatOptions: () => ({}),
      embeddingOptions: () => null,
      embeddingTasks: {},
      listModels: null,
    }
  },
}

function bedrockSettings(record: ProviderRecord): Options {
  const { options } = record
  const region = text(options['region'])
  if (region === null) throw misconfigured('Set the option "region" of the provider, for example "eu-central-1".')
  const secret = keyOf(record)
  if (secret === '')
    throw misconfigured('Set the credential of the provider: an API key of Bedrock, or a secret access key.')
  const accessKeyId = text(options['access_key_id'])
  // Given as an empty text, the package looks for no key of the other sort in the environment.
  const keys = accessKeyId === null ? { apiKey: secret } : { apiKey: '', accessKeyId, secretAccessKey: secret }
  const sessionToken = text(options['session_token'])
  return {
    region,
    ...keys,
    ...(sessionToken !== null && { sessionToken }),
    baseURL: record.baseUrl || `https://bedrock-runtime.${region}.amazonaws.com`,
  }
}

/** Each family of models on Bedrock calls it otherwise. */
function bedrockDimensions(dimensions: number, model: string): Options | null {
  if (model.includes('titan-embed')) return { dimensions }
  if (model.includes('nova')) return { embeddingDimension: dimensions }
  return model.includes('cohere.') ? { outputDimension: dimensions } : null
}

function keyOf({ credential }: ProviderRecord): string {
  return credential?.reveal() ?? ''
}

function thinks({ reasoning_effort: effort }: ChatRequest): boolean {
  return typeof effort === 'string' && effort !== 'none'
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
