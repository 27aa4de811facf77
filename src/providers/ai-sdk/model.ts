/**
 * Loads a vendor's package and makes a model of it. Each call makes its own: it is a few closures,
 * and so each call has a fetch of its own. Versions 3 and 4 of the interface are spoken; all the
 * rest of the adapter knows only version 4.
 */
import type { EmbeddingModelV4, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { CallFetch } from './call-fetch.ts'
import { misconfigured, notSupported, Problem } from './problem.ts'
import type { Options, Vendor } from './vendor.ts'

type Make = (name: string) => unknown
type PackageProvider = Readonly<Record<string, unknown>>

/** The vendor's model for chats. */
export async function chatModel(vendor: Vendor, name: string, { fetch }: CallFetch): Promise<LanguageModelV4> {
  const provider = await packageProvider(vendor, fetch)
  const make = provider['languageModel']
  if (typeof make !== 'function') throw new Problem(`The package ${vendor.packageName} offers no chat models.`)
  const model = (make as Make)(name) as LanguageModelV4
  checkVersion(model.specificationVersion, vendor)
  return model
}

/** The vendor's model for embeddings; throws a Problem when the vendor has none. */
export async function embeddingModel(vendor: Vendor, name: string, { fetch }: CallFetch): Promise<EmbeddingModelV4> {
  const provider = await packageProvider(vendor, fetch)
  const make = provider['embeddingModel'] ?? provider['textEmbeddingModel']
  if (typeof make !== 'function') throw new Problem(`The package ${vendor.packageName} offers no embeddings.`)
  const model = (make as Make)(name) as EmbeddingModelV4
  checkVersion(model.specificationVersion, vendor)
  return model
}

/** The options as the model's version of the interface has them. */
export function forVersion(version: string, options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  if (version !== 'v3') return options
  if (options.reasoning !== undefined) {
    throw notSupported('reasoning_effort', 'the package speaks version 3 of the AI SDK interface, which has none.')
  }
  const prompt = options.prompt.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.map(partOfVersion3) } : message,
  )
  return { ...options, prompt: prompt as LanguageModelV4CallOptions['prompt'] }
}

/** Version 3 has the bytes or the address of a file where version 4 has an object around them. */
function partOfVersion3(
  part: Extract<LanguageModelV4CallOptions['prompt'][number], { role: 'user' }>['content'][number],
): unknown {
  if (part.type !== 'file') return part
  return { ...part, data: part.data.type === 'url' ? part.data.url : part.data.type === 'data' ? part.data.data : '' }
}

async function packageProvider(vendor: Vendor, fetch: CallFetch['fetch']): Promise<PackageProvider> {
  const exported = await loaded(vendor)
  const factory = factoryOf(exported, vendor)
  return factory({ ...vendor.settings, fetch })
}

async function loaded(vendor: Vendor): Promise<Options> {
  try {
    return await vendor.load()
  } catch (thrown) {
    const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : null
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw thrown
    throw misconfigured(
      `Install the package that providers of kind "${vendor.kind}" need: npm install ${vendor.packageName}.`,
    )
  }
}

function factoryOf(exported: Options, vendor: Vendor): (settings: Options) => PackageProvider {
  const names = Object.keys(exported).filter(
    (name) => /^create[A-Z]/u.test(name) && typeof exported[name] === 'function',
  )
  const name = vendor.factory ?? (names.length === 1 ? names[0] : undefined)
  const factory = name === undefined ? undefined : exported[name]
  if (typeof factory === 'function') return factory as (settings: Options) => PackageProvider
  throw misconfigured(
    `Set the provider's option "factory" to one of those that ${vendor.packageName} exports: ${names.join(', ') || 'none'}.`,
  )
}

function checkVersion(version: string, { packageName }: Vendor): void {
  if (version === 'v4' || version === 'v3') return
  throw misconfigured(
    `Install a version of ${packageName} that speaks version v3 or v4 of the AI SDK interface; this one speaks "${version}".`,
  )
}
