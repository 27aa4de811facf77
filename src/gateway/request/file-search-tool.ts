/**
 * The tool `file_search` of a request of the Responses API, where it names vector stores of this gateway. One that names
 * a provider's own goes to the provider as it is.
 */
import { readFilter, type MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import { isObject } from '#lib/json-value.ts'
import { invalidBody, type Fields } from './fields.ts'

export interface FileSearchSpec {
  readonly storeIds: readonly string[]
  readonly maxResults: number
  readonly filter: MetadataFilter | null
  /** From 0 to 1. */
  readonly scoreMin: number
  /** What orders the passages; null when the request does not say. */
  readonly ranker: string | null
  /** How much meaning and words count beside each other, not both 0; null when the request does not say. */
  readonly weights: { readonly vector: number; readonly keyword: number } | null
  /** The client asks for the passages themselves. */
  readonly wantsResults: boolean
}

export const resultsInclude = 'file_search_call.results'
const ownStore = /^vs_[0-9a-f]{32}$/
const storesMax = 5
const resultsMax = 50
const resultsUsual = 20
const rankerCharactersMax = 200
const weightMax = 1_000_000

/** Whether a tool is one that the gateway runs. */
export function isOwnFileSearch(tool: unknown): tool is Fields {
  if (!isObject(tool) || tool['type'] !== 'file_search') return false
  const ids: unknown = tool['vector_store_ids']
  return Array.isArray(ids) && ids.some((id) => typeof id === 'string' && ownStore.test(id))
}

/** Null when the request has no such tool. Answers 400 by throwing. */
export function readFileSearch({ tools, include }: Fields): FileSearchSpec | null {
  if (!Array.isArray(tools)) return null
  const at = tools.findIndex(isOwnFileSearch)
  if (at === -1) return null
  const field = `tools[${at}]`
  if (tools.filter(isOwnFileSearch).length > 1)
    throw invalidBody('tools', '"tools" may have one file_search, with several vector stores.')
  const tool = tools[at] as Fields
  const ids = tool['vector_store_ids'] as readonly unknown[]
  if (ids.length > storesMax || !ids.every((id): id is string => typeof id === 'string' && ownStore.test(id)))
    throw invalidBody(
      `${field}.vector_store_ids`,
      `"${field}.vector_store_ids" must be 1 to ${storesMax} vector stores of this server.`,
    )
  const options = isObject(tool['ranking_options']) ? tool['ranking_options'] : {}
  return {
    storeIds: ids,
    maxResults: numberIn(tool['max_num_results'] ?? resultsUsual, `${field}.max_num_results`, [1, resultsMax]),
    filter: filterOf(tool['filters'] ?? null, `${field}.filters`),
    scoreMin: numberIn(options['score_threshold'] ?? 0, `${field}.ranking_options.score_threshold`, [0, 1]),
    ranker: rankerOf(options['ranker'] ?? null, `${field}.ranking_options.ranker`),
    weights: weightsOf(options['hybrid_search'] ?? null, `${field}.ranking_options.hybrid_search`),
    wantsResults: Array.isArray(include) && include.includes(resultsInclude),
  }
}

function rankerOf(value: unknown, field: string): string | null {
  if (value === null || (typeof value === 'string' && value !== '' && value.length <= rankerCharactersMax)) return value
  throw invalidBody(field, `"${field}" must be auto, none or the name of a rerank model.`)
}

function weightsOf(value: unknown, field: string): FileSearchSpec['weights'] {
  if (value === null) return null
  const { embedding_weight: vector, text_weight: keyword } = isObject(value) ? value : {}
  const isWeight = (each: unknown): each is number => typeof each === 'number' && each >= 0 && each <= weightMax
  if (isWeight(vector) && isWeight(keyword) && vector + keyword > 0) return { vector, keyword }
  const range = `numbers from 0 to ${weightMax}, not both 0`
  throw invalidBody(field, `"${field}" must have "embedding_weight" and "text_weight", ${range}.`)
}

function numberIn(value: unknown, field: string, [min, max]: readonly [number, number]): number {
  if (typeof value === 'number' && value >= min && value <= max && (max === 1 || Number.isInteger(value))) return value
  throw invalidBody(field, `"${field}" must be ${max === 1 ? 'a' : 'a whole'} number from ${min} to ${max}.`)
}

function filterOf(value: unknown, field: string): MetadataFilter | null {
  if (value === null) return null
  const read = readFilter(value)
  if (read.kind === 'filter') return read.filter
  const at = read.at === '' ? field : `${field}.${read.at}`
  throw invalidBody(at, `"${at}" ${read.message}.`)
}
