/**
 * The vendors' lists of models, page by page. The AI SDK has no call for it, so these are the
 * vendors' own endpoints.
 * Anthropic: https://docs.anthropic.com/en/api/models-list
 * Google: https://ai.google.dev/api/models#method:-models.list
 * Mistral: https://docs.mistral.ai/api/#tag/models
 * Cohere: https://docs.cohere.com/reference/list-models
 */
import { factsOf } from '../model-facts.ts'
import { UpstreamFailure, type DiscoveredModel } from '../provider.ts'
import type { GetJson, Options } from './vendor.ts'

/** No vendor has so many; a list that goes on is not one. */
const pagesMax = 20

export async function listAnthropic(
  getJson: GetJson,
  baseUrl: string,
  key: string,
): Promise<readonly DiscoveredModel[]> {
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return pages(async (after) => {
    const page = objectOf(await getJson(`${baseUrl}/models?limit=1000${parameter('after_id', after)}`, headers))
    const models = modelsIn(page['data'], (entry) => model(entry['id'], entry))
    return { models, next: page['has_more'] === true ? text(page['last_id']) : null }
  })
}

export async function listGoogle(getJson: GetJson, baseUrl: string, key: string): Promise<readonly DiscoveredModel[]> {
  const headers = { 'x-goog-api-key': key }
  return pages(async (token) => {
    const page = objectOf(await getJson(`${baseUrl}/models?pageSize=1000${parameter('pageToken', token)}`, headers))
    const models = modelsIn(page['models'], (entry) => model(text(entry['name'])?.replace(/^models\//u, ''), entry))
    return { models, next: text(page['nextPageToken']) }
  })
}

export async function listMistral(getJson: GetJson, baseUrl: string, key: string): Promise<readonly DiscoveredModel[]> {
  return pages(async () => {
    const page = objectOf(await getJson(`${baseUrl}/models`, { authorization: `Bearer ${key}` }))
    return { models: modelsIn(page['data'], (entry) => model(entry['id'], entry)), next: null }
  })
}

export async function listCohere(getJson: GetJson, baseUrl: string, key: string): Promise<readonly DiscoveredModel[]> {
  // Chat has a second version of the interface, the list of models has not.
  const root = baseUrl.replace(/\/v2$/u, '/v1')
  return pages(async (token) => {
    const url = `${root}/models?page_size=1000${parameter('page_token', token)}`
    const page = objectOf(await getJson(url, { authorization: `Bearer ${key}` }))
    const models = modelsIn(page['models'], (entry) => model(entry['name'], entry))
    return { models, next: text(page['next_page_token']) }
  })
}

interface Page {
  readonly models: readonly DiscoveredModel[]
  readonly next: string | null
}

/** All pages, each name once: Mistral lists a model again under each alias that it moved to. */
async function pages(read: (from: string | null) => Promise<Page>): Promise<readonly DiscoveredModel[]> {
  const found = new Map<string, DiscoveredModel>()
  let from: string | null = null
  for (let count = 0; count < pagesMax; count += 1) {
    const page: Page = await read(from)
    for (const each of page.models) found.set(each.id, each)
    if (page.next === null) break
    from = page.next
  }
  return [...found.values()]
}

function modelsIn(list: unknown, read: (entry: Options) => DiscoveredModel | null): readonly DiscoveredModel[] {
  if (!Array.isArray(list)) throw new UpstreamFailure('protocol', new Error('GET /models sent no list'))
  return list.flatMap((entry: unknown) => read(objectOf(entry)) ?? [])
}

function model(id: unknown, entry: Options): DiscoveredModel | null {
  return typeof id !== 'string' || id === '' ? null : { id, ...factsOf(entry) }
}

function parameter(name: string, value: string | null): string {
  return value === null ? '' : `&${name}=${encodeURIComponent(value)}`
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function objectOf(value: unknown): Options {
  return typeof value === 'object' && value !== null ? (value as Options) : {}
}
