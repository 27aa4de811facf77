/**
 * More about the models of servers whose `GET /v1/models` only names them, from their own addresses beside `/v1`.
 * Ollama: https://docs.ollama.com/api/show. LM Studio: https://lmstudio.ai/docs/api/rest-api.
 */
import { eachOf } from '#lib/each-of.ts'
import { isObject } from '#lib/json-value.ts'
import { factsOf } from './model-facts.ts'
import type { DiscoveredModel } from './provider.ts'

/** Asks an address of the server below its root for JSON; with a body by POST. Rejects when it does not answer 200 and JSON. */
export type AskJson = (path: string, body: object | null) => Promise<unknown>

/** What each writes as the owner of its models. */
const owners = { ollama: 'library', lmStudio: 'organization_owner' }
const showsAtOnce = 8

/** The same models with what can be found out. A server that does not answer leaves them as they are. */
export async function withDetails(
  models: readonly DiscoveredModel[],
  ask: AskJson,
  signal: AbortSignal,
): Promise<readonly DiscoveredModel[]> {
  const owner = models[0]?.ownedBy
  const found = new Map<string, DiscoveredModel>()
  try {
    if (owner === owners.lmStudio) await askLmStudio(ask, found)
    else if (owner === owners.ollama) await askOllama(models, ask, found)
  } catch {
    // Only facts are missing: the models can be called.
    signal.throwIfAborted()
  }
  return models.map((model) => ({ ...model, ...found.get(model.id) }))
}

async function askLmStudio(ask: AskJson, found: Map<string, DiscoveredModel>): Promise<void> {
  const list = await ask('/api/v0/models', null)
  const entries: readonly unknown[] = isObject(list) && Array.isArray(list['data']) ? list['data'] : []
  for (const entry of entries)
    if (isObject(entry) && typeof entry['id'] === 'string')
      found.set(entry['id'], { id: entry['id'], ...factsOf(entry) })
}

async function askOllama(
  models: readonly DiscoveredModel[],
  ask: AskJson,
  found: Map<string, DiscoveredModel>,
): Promise<void> {
  await eachOf(models, showsAtOnce, async ({ id }) => {
    const shown = await ask('/api/show', { model: id })
    if (isObject(shown)) found.set(id, { id, ...factsOf(shown) })
  })
}
