/**
 * The addresses at which Azure's clients look for the AI API when `…/ai` is their endpoint. Each is another address of a
 * route; the query `api-version` has no meaning here.
 * Source: https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
import type { Route } from '#http/route.ts'

const own = '/ai/v1/'

/** The route, also where clients of Azure's v1 API and those that name no deployment look for it. */
export function withAzureAddresses<Caller>(route: Route<Caller>): Route<Caller> {
  if (!route.path.startsWith(own)) return route
  const rest = route.path.slice(own.length)
  return { ...route, aliases: [...(route.aliases ?? []), `/ai/openai/v1/${rest}`, `/ai/openai/${rest}`] }
}

/** Calls whose model Azure's clients write into the address. */
const deployed: ReadonlySet<string> = new Set([
  'chat/completions',
  'completions',
  'embeddings',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'audio/translations',
  'audio/speech',
])

/** Where clients look for a call with the model in the address; none for calls that have no such address. */
export function deploymentAddress(endpoint: string): readonly string[] {
  return deployed.has(endpoint) ? [`/ai/openai/deployments/:deployment/${endpoint}`] : []
}
