/**
 * Looks for what could be a provider: model servers on their usual ports of this machine, and
 * vendors whose API key is in the environment. Found ones are only reported. Nobody is charged for a
 * vendor's tokens, and no model is opened to everyone, because a key happened to be there.
 */
import { readEnvironment, type Environment } from '#config/sources/environment.ts'
import { localPresets, presetBaseUrl, vendorPresets, type ProviderPreset } from './presets.ts'

export interface FoundProvider {
  readonly name: string
  readonly title: string
  /** Where it was found: an address, or the name of an environment variable. */
  readonly where: string
  /** Its models; null for a vendor, which is not asked. */
  readonly models: readonly string[] | null
}

export interface DiscoveryOptions {
  readonly environment: Environment
  /** Ports that are not asked: our own. */
  readonly exceptPorts?: readonly number[]
  /** Base URLs to look at in place of the usual ones, by the preset's name. */
  readonly baseUrls?: Readonly<Record<string, string>>
  /** 400 when left out: a person waits at a terminal. */
  readonly probeMs?: number
}

/** What is there, servers first. Takes as long as the slowest probe, never longer than `probeMs`. Never rejects. */
export async function discoverProviders(options: DiscoveryOptions): Promise<readonly FoundProvider[]> {
  const servers = await Promise.all(localPresets.map((preset) => probe(preset, options)))
  return [...servers.filter((found) => found !== null), ...vendorsIn(options.environment)]
}

function vendorsIn(environment: Environment): FoundProvider[] {
  return vendorPresets.flatMap(({ name, title, credentialVariables }) => {
    const [where] = readEnvironment(credentialVariables, environment).keys()
    return where === undefined ? [] : [{ name, title, where, models: null }]
  })
}

type LocalName = (typeof localPresets)[number]['name']

async function probe(
  preset: ProviderPreset & { readonly name: LocalName },
  options: DiscoveryOptions,
): Promise<FoundProvider | null> {
  const baseUrl = options.baseUrls?.[preset.name] ?? presetBaseUrl(preset)
  const { origin, port } = new URL(baseUrl)
  if (options.exceptPorts?.includes(Number(port))) return null
  const signal = AbortSignal.timeout(options.probeMs ?? 400)
  const list = await getJson(`${baseUrl}/models`, signal)
  const models = modelsIn(list)
  if (models === null || !(await isKind[preset.name](origin, models, signal))) return null
  return { name: preset.name, title: preset.title, where: baseUrl, models: models.map((model) => model.id) }
}

interface ListedModel {
  readonly id: string
  readonly owner: string
}

/**
 * Tells the servers apart, since the ports are popular: 8000 and 8080 serve all kinds of things.
 * llama.cpp and vLLM name themselves as owner of their models; the others have endpoints of their own.
 */
const isKind: Readonly<
  Record<LocalName, (origin: string, models: readonly ListedModel[], signal: AbortSignal) => Promise<boolean>>
> = {
  ollama: async (origin, _models, signal) =>
    typeof field(await getJson(`${origin}/api/version`, signal), 'version') === 'string',
  lmstudio: async (origin, _models, signal) =>
    Array.isArray(field(await getJson(`${origin}/api/v0/models`, signal), 'data')),
  llamacpp: async (origin, models, signal) =>
    models.some((model) => model.owner === 'llamacpp') ||
    field(await getJson(`${origin}/props`, signal), 'default_generation_settings') !== undefined,
  vllm: async (origin, models, signal) =>
    models.some((model) => model.owner === 'vllm') ||
    typeof field(await getJson(`${origin}/version`, signal), 'version') === 'string',
}

function modelsIn(list: unknown): readonly ListedModel[] | null {
  const data = field(list, 'data')
  if (!Array.isArray(data)) return null
  return data.flatMap((entry: unknown) => {
    const id = field(entry, 'id')
    const owner = field(entry, 'owned_by')
    return typeof id === 'string' ? [{ id, owner: typeof owner === 'string' ? owner : '' }] : []
  })
}

/** The answer's JSON, or null for whatever else happens: nothing there, a time-out, a refusal, another protocol. */
async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual' })
    return response.ok ? ((await response.json()) as unknown) : null
  } catch {
    return null
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
