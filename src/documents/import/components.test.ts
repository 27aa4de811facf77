import { describe, expect, test } from 'bun:test'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { builtInReaderNames, externalReaders } from '#config/settings/external-readers.ts'
import { loadConfig } from '#config/load.ts'
import { ApiError } from '#errors/api-error.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { ExternalReaders } from '../external/external-readers.ts'
import { componentsAnswer, listComponents, resolveComponents } from './components.ts'
import { systemClock } from '#lib/clock.ts'
import { mediaTypesOf, readerNames } from '#readers/readers.ts'
import type { DocumentModels } from '../models.ts'
import { importBody, importOptionsOf } from './import-request.ts'

/** Models by alias; `closed` is one that the caller may not use. */
const models: DocumentModels = {
  resolve(name) {
    if (name === 'closed') throw new ApiError('model_access_denied')
    if (name !== 'eye' && name !== 'eye-alias') throw new ApiError('model_not_found')
    return { id: 'id-of-eye', name: 'eye', groupIds: [], upstreams: [{ name: 'eye-of-vendor', kind: 'openai' }] }
  },
  mayUse: (name) => name === 'eye',
  byId: () => null,
  chatCompletion: () => Promise.reject(new Error('not called here')),
  rerank: () => Promise.reject(new Error('not called here')),
  embeddings: () => Promise.reject(new Error('not called here')),
  transcription: () => Promise.reject(new Error('not called here')),
}

const external = new ExternalReaders({
  entries: externalReaders('[{"name":"layout","kind":"tika","url":"http://127.0.0.1:1"}]'),
  client: null as never,
  metrics: null as never,
  clock: systemClock,
  logger: null as never,
  answerBytesMax: () => 0,
  mediaTypesOf,
})

function settingsOf(...set: readonly string[]): LiveSettings {
  const config = loadConfig({ environment: {}, directory: '/', overrides: set })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  return new LiveSettings(config.settings, config.sources)
}

function resolve(options: object, ...set: readonly string[]) {
  const body = importBody.parse({ files: [{ name: 'a', category: 'c' }], ...options })
  return resolveComponents({ settings: settingsOf(...set), models, external }, aCaller(), importOptionsOf(body))
}

describe('what is kept in the record', () => {
  test('names the model itself, also when its alias was asked for, and its id, which outlives a new name', () => {
    const { embedder, reader } = resolve({
      embedder: { name: 'eye-alias', dimensions: 256 },
      reader: { name: 'auto', model: 'eye-alias' },
    })
    expect(embedder).toEqual({ name: 'eye', model_id: 'id-of-eye', dimensions: 256 })
    expect(reader).toEqual({ name: 'auto', model: 'eye' })
  })

  test('has the defaults of the server at the time of the import', () => {
    expect(resolve({}, 'documents.chunker=page', 'documents.embedder=eye', 'documents.reader=text')).toMatchObject({
      reader: { name: 'text' },
      chunker: { name: 'page' },
      embedder: { name: 'eye' },
    })
  })

  test('has the model of the server for pictures only for those who may use it', () => {
    expect(resolve({}, 'documents.vision_model=eye').reader).toEqual({ name: 'auto', model: 'eye' })
    expect(resolve({}, 'documents.vision_model=closed').reader).toEqual({ name: 'auto' })
    expect(resolve({}, 'documents.transcription_model=eye').reader).toEqual({
      name: 'auto',
      transcription_model: 'eye',
    })
    expect(resolve({}, 'documents.transcription_model=closed').reader).toEqual({ name: 'auto' })
    expect(resolve({ reader: 'pdf' }, 'documents.vision_model=eye').reader).toEqual({ name: 'pdf' })
  })

  test('has of chunk_units and the option of the chunker the former, and nothing of an option that is null', () => {
    const chunker = { name: 'token', units: 50, overlap: null }
    expect(resolve({ chunker, chunk_units: 60 }).chunker).toMatchObject({ units: 60, overlap: 0 })
    expect(resolve({ chunker }).chunker).toMatchObject({ units: 50, overlap: 0 })
  })

  test('names the local model by its directory, and shows no path', () => {
    expect(resolve({ embedder: 'local' }, 'documents.local_model_dir=/srv/models/small-model/').embedder).toEqual({
      name: 'local',
      model: 'small-model',
    })
  })
})

test('a model that exists and may not be used is refused as such, not as unknown', () => {
  for (const options of [{ embedder: 'closed' }, { reader: { name: 'vision', model: 'closed' } }])
    expect(() => resolve(options)).toThrow(expect.objectContaining({ code: 'model_access_denied' }) as Error)
})

test('a reader on another server is named like any other, and no name of one is that of a built-in reader', () => {
  expect(resolve({ reader: 'layout' }).reader).toEqual({ name: 'layout' })
  expect(() => resolve({ reader: 'other' })).toThrow(/known are .*vision, transcription, layout/)
  expect(listComponents({ settings: settingsOf(), external }).readers.names).toContain('layout')
  expect(builtInReaderNames.toSorted()).toEqual([...readerNames, 'vision', 'transcription'].toSorted())
})

test('the list is as documented, and names the local embedder only where there is one', () => {
  const without = listComponents({ settings: settingsOf(), external })
  expect(componentsAnswer.parse(without)).toEqual(without as never)
  expect(without.embedders.names).toEqual(['hashing'])
  const settings = settingsOf('documents.local_model_dir=/srv/model')
  expect(listComponents({ settings, external }).embedders.names).toContain('local')
})
