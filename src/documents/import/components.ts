/**
 * Reader, chunker and embedder of an import: from what a request says to what the record holds, with
 * every option resolved, so that a document processed later is processed as it was asked.
 */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { chunkers, resolveChunker } from '#chunkers/chunkers.ts'
import { mayUseArea } from '#identity/authenticate.ts'
import type { Caller } from '#identity/records.ts'
import { readerNames } from '#readers/readers.ts'
import type { Component, Components } from '#store/documents/document-store.ts'
import type { Documents } from '../documents.ts'
import { builtInEmbedders } from '../embedders/embedder-registry.ts'
import { modelOptionNames, resolveModelOptions } from '../embedders/model-options.ts'
import type { NamedModel } from '../models.ts'
import type { ComponentOption, ImportOptions } from './import-request.ts'

type Deps = Pick<Documents, 'settings' | 'models' | 'external'>

/** Names that clients of the document interface know readers by. */
const readerAliases = new Map([['TitanLayout', 'auto']])
/** Readers that a model of the gateway does, and their options. */
const modelReaders: ReadonlyMap<string, readonly string[]> = new Map([
  ['auto', ['model', 'prompt']],
  ['vision', ['model', 'prompt']],
  ['transcription', ['model', 'prompt', 'language']],
])
/** Readers of pages of the web, and their options. */
const pageOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ['auto', ['main_text']],
  ['html', ['main_text']],
])
const promptCharactersMax = 10_000

/** Answers 422 for what does not exist or does not go together, and 403 for a model that the caller may not use. */
export function resolveComponents(deps: Deps, caller: Caller, options: ImportOptions): Components {
  return {
    reader: resolveReader(deps, caller, options.reader),
    chunker: resolveTheChunker(deps, options),
    embedder: resolveEmbedder(deps, caller, options.embedder),
  }
}

interface NamedOptions {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Options that are null are not given. */
function namedOptionsOf(option: ComponentOption, byDefault: string): NamedOptions {
  if (option === null || option === undefined) return { name: byDefault, options: {} }
  if (typeof option === 'string') return { name: option, options: {} }
  const { name, ...options } = option
  return { name, options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)) }
}

function resolveReader({ settings, models, external }: Deps, caller: Caller, asked: ComponentOption): Component {
  const { name: askedName, options } = namedOptionsOf(asked, settings.get('documents.reader'))
  const name = readerAliases.get(askedName) ?? askedName
  const known = [...readerNames, 'vision', 'transcription', ...external.names]
  if (!known.includes(name))
    throw refused('reader', `there is no reader ${quoted(name)}; known are ${known.join(', ')}`)
  const takesModel = modelReaders.has(name)
  onlyOptions('reader', options, [...(modelReaders.get(name) ?? []), ...(pageOptions.get(name) ?? [])])
  const setting = name === 'transcription' ? 'documents.transcription_model' : 'documents.vision_model'
  const model = takesModel ? modelNamed({ settings, models }, caller, { asked: options['model'], setting }) : null
  if (model === null && name !== 'auto' && takesModel)
    throw refused('reader.model', `name a ${kindOfModel[name]} model that you may use; there is none by default`)
  const prompt = promptOf(caller, options['prompt'], model)
  const listens =
    name === 'auto'
      ? modelNamed({ settings, models }, caller, { asked: undefined, setting: 'documents.transcription_model' })
      : null
  return {
    name,
    ...mainTextOf(options['main_text']),
    ...(model !== null && { model, ...(prompt !== null && { prompt }) }),
    ...(options['language'] !== undefined && { language: languageOf(options['language']) }),
    ...(listens !== null && { transcription_model: listens }),
  }
}

const kindOfModel: Readonly<Record<string, string>> = { vision: 'multimodal', transcription: 'transcription' }

/** ISO 639-1, as transcription models take it. */
function languageOf(language: unknown): string {
  if (typeof language === 'string' && /^[a-z]{2,3}$/.test(language)) return language
  throw refused('reader.language', 'expected a language by its code, for example "de"')
}

/** Whether of an HTML page only its main text is kept. */
function mainTextOf(value: unknown): { readonly main_text?: boolean } {
  if (value === undefined) return {}
  if (typeof value !== 'boolean') throw refused('reader.main_text', 'expected true or false')
  return { main_text: value }
}

/** A custom prompt lets the import ask the model anything, so it requires the area of the AI API. */
function promptOf(caller: Caller, prompt: unknown, model: string | null): string | null {
  if (prompt === undefined) return null
  if (typeof prompt !== 'string' || prompt.length > promptCharactersMax)
    throw refused('reader.prompt', `expected a text of at most ${promptCharactersMax} characters`)
  if (model === null || mayUseArea(caller, 'inference')) return prompt
  throw new ApiError('scope_denied', {
    param: 'reader.prompt',
    message:
      'This API key may not be used for "inference", which a prompt of your own takes. Use a key whose scopes include it, or leave "reader.prompt" out.',
  })
}

interface ModelChoice {
  readonly asked: unknown
  readonly setting: 'documents.vision_model' | 'documents.transcription_model'
}

/**
 * The model that looks at pictures or listens: the one that was named, or the server's. The server's own choice does
 * not fail the imports of people who may not use it; their pictures and recordings are refused.
 */
function modelNamed(
  { settings, models }: Omit<Deps, 'external'>,
  caller: Caller,
  { asked, setting }: ModelChoice,
): string | null {
  if (asked !== undefined) {
    if (typeof asked !== 'string') throw refused('reader.model', 'expected the name of a model')
    return models.resolve(asked, caller).name
  }
  const byDefault = settings.get(setting)
  return byDefault !== null && models.mayUse(byDefault, caller) ? models.resolve(byDefault, caller).name : null
}

function resolveTheChunker({ settings }: Pick<Deps, 'settings'>, asked: ImportOptions): Component {
  const { name, options } = namedOptionsOf(asked.chunker, settings.get('documents.chunker'))
  const units = asked.chunkUnits ?? options['units']
  const overlap = asked.chunkOverlap ?? options['overlap']
  const resolution = resolveChunker(name, {
    ...options,
    ...(units !== undefined && { units }),
    ...(overlap !== undefined && { overlap }),
  })
  if (resolution.kind === 'resolved') return { ...resolution.chunker }
  const { option, message } = resolution
  const own = { name: 'chunker', units: 'chunk_units', overlap: 'chunk_overlap' }[option] ?? `chunker.${option}`
  throw new ApiError('validation_failed', { param: own, message })
}

function resolveEmbedder(
  { settings, models }: Omit<Deps, 'external'>,
  caller: Caller,
  asked: ComponentOption,
): Component {
  const { name, options } = namedOptionsOf(asked, settings.get('documents.embedder'))
  if (name === 'hashing') {
    onlyOptions('embedder', options, [])
    return { name }
  }
  if (name === 'local') {
    onlyOptions('embedder', options, [])
    const model = settings.get('documents.local_model_dir')
    if (model === null) throw refused('embedder', '"local" is not configured on this server: documents.local_model_dir')
    return { name, model: model.split(/[\\/]/).findLast((part) => part !== '') ?? model }
  }
  onlyOptions('embedder', options, modelOptionNames)
  const model = embeddingModel(models, caller, name)
  const resolution = resolveModelOptions(model, options)
  if (resolution.kind === 'refused') throw refused(`embedder.${resolution.option}`, resolution.message)
  return { name: model.name, model_id: model.id, ...resolution.options }
}

function embeddingModel(models: Deps['models'], caller: Caller, name: string): NamedModel {
  try {
    return models.resolve(name, caller)
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.code !== 'model_not_found') throw thrown
    const known = builtInEmbedders.join(', ')
    throw refused(
      'embedder',
      `there is no embedder ${quoted(name)}; known are ${known} and the embedding models of GET /ai/v1/models`,
    )
  }
}

function onlyOptions(component: string, options: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(options).find((option) => !known.includes(option))
  if (unknown === undefined) return
  const list = known.length === 0 ? 'it has none' : `known are ${known.join(', ')}`
  throw refused(`${component}.${unknown}`, `there is no such option; ${list}`)
}

function refused(param: string, message: string): ApiError {
  return new ApiError('validation_failed', { param, message: `"${param}": ${message}.` })
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

const namedDefault = z.strictObject({ names: z.array(z.string()), default: z.string() })

export const componentsAnswer = z
  .strictObject({
    readers: namedDefault,
    chunkers: z.strictObject({
      default: z.string(),
      data: z.array(
        z.strictObject({
          name: z.string(),
          unit: z.string().describe('What chunk_units and chunk_overlap count'),
          chunk_units: z.int().describe('Default'),
          chunk_overlap: z.int().describe('Default'),
          chunk_units_max: z.int(),
        }),
      ),
    }),
    embedders: namedDefault.describe('Those that are built in; an embedding model of the gateway is one too'),
    categories: z.array(z.string()).nullable().describe('The only ones that there may be; null when any may be used'),
    max_file_bytes: z.int(),
  })
  .meta({ id: 'DocumentOptions' })

/** What an import can name on this server. */
export function listComponents({
  settings,
  external,
}: Pick<Documents, 'settings' | 'external'>): z.input<typeof componentsAnswer> {
  const hasLocal = settings.get('documents.local_model_dir') !== null
  const categories = settings.get('documents.categories')
  return {
    readers: {
      names: [...readerNames, 'vision', 'transcription', ...external.names],
      default: settings.get('documents.reader'),
    },
    chunkers: {
      default: settings.get('documents.chunker'),
      data: chunkers.map(({ name, unit, defaults, unitsMax }) => ({
        name,
        unit,
        chunk_units: defaults.units,
        chunk_overlap: defaults.overlap,
        chunk_units_max: unitsMax,
      })),
    },
    embedders: {
      names: builtInEmbedders.filter((name) => name !== 'local' || hasLocal),
      default: settings.get('documents.embedder'),
    },
    categories: categories.length === 0 ? null : [...categories],
    max_file_bytes: settings.get('documents.max_file_bytes'),
  }
}
