/**
 * Reads the file of a document and cuts its text, in reading processes; pictures, and pages that are
 * pictures, are described by a multimodal model, and recordings written down by a transcription model, on the
 * importer's account. Files for which the operator has named a reader on another server go there first.
 */
import { join } from 'node:path'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { resolveChunker, type ResolvedChunker } from '#chunkers/chunkers.ts'
import type { Caller } from '#identity/records.ts'
import { isPicture } from '#readers/types/media-type.ts'
import { readerNames } from '#readers/readers.ts'
import { ReadFailure, type ReadLimits } from '#readers/reading.ts'
import type { Cue } from '#readers/text/subtitles.ts'
import { isRecording } from '#readers/types/signature.ts'
import type { ExternalReader, ExternalReaders } from '../external/external-readers.ts'
import { ReaderAway } from '../external/reader-call.ts'
import { transcriptionModelOf, type DocumentModels } from '../models.ts'
import type { ReadingSummary } from '../reading/protocol.ts'
import type { ReadingWatch } from '../reading/reading-child.ts'
import type { ReadingPool } from '../reading/reading-pool.ts'
import { describePicture } from './describe-picture.ts'
import { transcribe } from './transcribe.ts'
import { ocrOptions } from '../reading/ocr-options.ts'
import type { Run } from './run.ts'

export interface ReadDeps {
  readonly pool: ReadingPool
  readonly settings: LiveSettings
  readonly models: Pick<DocumentModels, 'chatCompletion' | 'transcription'>
  readonly external: Pick<ExternalReaders, 'names' | 'readerFor' | 'read'>
}

export interface ReadTask {
  readonly run: Run
  readonly caller: Caller
  /** Path of the raw bytes. */
  readonly file: string
  /** The workspace; the reading process writes `chunks.jsonl` there. */
  readonly directory: string
}

export interface ReadResult {
  readonly mediaType: string
  readonly title: string | null
  readonly stated?: Readonly<Record<string, unknown>> | undefined
  readonly warnings: readonly string[]
  readonly chunks: number
}

/** Rejects with ReadFailure, and with the ApiError of the model that was to describe pictures. */
export type ReadDocument = (order: ReadTask) => Promise<ReadResult>

const mebibyte = 1_048_576
/** About what models look at: more is scaled down by them. */
const pagePixelsMax = 2_000_000
const pagesTogether = 4

const picturePrompt =
  'Write down everything that this picture shows, as Markdown. Text: exactly as it stands, in reading order, headings as headings. Tables: as Markdown tables. Diagrams and photographs: what they show, in a few sentences. Answer with the content only.'

export function createReadDocument(deps: ReadDeps): ReadDocument {
  return async (order) => {
    const { run } = order
    const { mediaType, title, stated, warnings, pages, characters, chunks } = await read(deps, order)
    if (characters === 0) throw new ReadFailure('no_text', 'The file holds no text.')
    run.report({
      pages: { done: pages, total: pages },
      chunks: { done: chunks, total: chunks },
      embedded: { done: 0, total: chunks },
    })
    return { mediaType, title, stated, warnings, chunks }
  }
}

async function read(deps: ReadDeps, order: ReadTask): Promise<ReadingSummary> {
  const mediaType = await mediaTypeOf(deps, order)
  const elsewhere = mediaType === null ? null : deps.external.readerFor(order.run.document.reader.name, mediaType)
  if (elsewhere === null || mediaType === null) return readHere(deps, order, mediaType)
  const outcome = await readElsewhere(deps, order, { reader: elsewhere, mediaType })
  if (outcome.kind === 'read') return outcome.summary
  const sentence = `The reader ${elsewhere.name} ${outcome.what}.`
  try {
    const summary = await readHere(deps, order, mediaType)
    return { ...summary, warnings: [`${sentence} The file was read by the built-in reader.`, ...summary.warnings] }
  } catch (thrown) {
    // Nobody else can read it, and the one who can may be back later.
    const isUnread = thrown instanceof ReadFailure && (thrown.code === 'unsupported_type' || thrown.code === 'no_text')
    throw outcome.kind === 'away' && isUnread ? new ReaderAway(sentence, { isDown: true, cause: thrown }) : thrown
  }
}

/** Looked at where it decides who reads the file; null where it does not. */
async function mediaTypeOf(deps: ReadDeps, { run, file }: ReadTask): Promise<string | null> {
  const { reader, name } = run.document
  const isNamed = deps.external.names.includes(reader.name)
  const isOpen = reader.name === 'auto' && deps.external.names.length > 0
  const looks = reader.name === 'vision' || visionModelOf(reader) !== null || transcriptionModelOf(reader) !== null
  if (!looks && !isNamed && !isOpen) return null
  try {
    return (await deps.pool.run('detect', { file, name }, watchOf(deps, run))).mediaType
  } catch (thrown) {
    // A type that is not known here may be known to the reader that was named.
    if (isNamed && thrown instanceof ReadFailure) return 'application/octet-stream'
    throw thrown
  }
}

type Elsewhere =
  | { readonly kind: 'read'; readonly summary: ReadingSummary }
  | { readonly kind: 'refused' | 'away'; readonly what: string }

async function readElsewhere(
  deps: ReadDeps,
  { run, file, directory }: ReadTask,
  { reader, mediaType }: { readonly reader: ExternalReader; readonly mediaType: string },
): Promise<Elsewhere> {
  const { name, bytes } = run.document
  const answered = join(directory, 'answer')
  const outcome = await deps.external.read(reader, { path: file, bytes, name, mediaType }, answered, run.signal)
  if (outcome.kind !== 'answered') return outcome
  const answer = { kind: reader.kind, mediaType }
  const work = { file: answered, name, reader: 'auto', answer, directory, ...limitsAndChunker(deps, run) }
  try {
    return { kind: 'read', summary: await deps.pool.run('read', work, watchOf(deps, run)) }
  } catch (thrown) {
    if (!(thrown instanceof ReadFailure)) throw thrown
    return {
      kind: 'refused',
      what: thrown.code === 'no_text' ? 'found no text in it' : 'gave an answer that cannot be used',
    }
  }
}

async function readHere(deps: ReadDeps, order: ReadTask, mediaType: string | null): Promise<ReadingSummary> {
  const { run, file, directory } = order
  const { reader, name } = run.document
  const vision = visionModelOf(reader)
  const byModel = mediaType === null ? null : readByModel(deps, order, mediaType)
  if (byModel !== null) return byModel
  try {
    const ocr = ocrOptions(deps.settings, vision !== null) ?? undefined
    const known = readerNames.includes(reader.name) ? reader.name : 'auto'
    const mainText = reader['main_text'] === true
    const work = { file, name, reader: known, mainText, directory, ...limitsAndChunker(deps, run), ocr }
    return await deps.pool.run('read', work, watchOf(deps, run))
  } catch (thrown) {
    const isScan = thrown instanceof ReadFailure && thrown.code === 'no_text' && mediaType === 'application/pdf'
    if (isScan && vision !== null) return readPages(deps, order, mediaType)
    throw thrown
  }
}

/** What only a model reads, or a model was asked to read; null for all else. */
function readByModel(deps: ReadDeps, order: ReadTask, mediaType: string): Promise<ReadingSummary> | null {
  const { name } = order.run.document.reader
  if (isRecording(mediaType)) return readRecording(deps, order, mediaType)
  if (name === 'transcription')
    throw new ReadFailure(
      'unsupported_type',
      'The reader "transcription" takes sound and video. Leave the reader at auto.',
    )
  if (isPicture(mediaType)) return readPicture(deps, order, mediaType)
  return name === 'vision' ? readPages(deps, order, mediaType) : null
}

/** What every reading is held to and how it is cut. */
function limitsAndChunker(
  { settings }: ReadDeps,
  run: Run,
): { readonly limits: ReadLimits; readonly chunker: ResolvedChunker } {
  return { limits: limitsOf(settings), chunker: recordedChunker(run.document.chunker) }
}

/** The chunker of a record, which holds what was resolved when the document was imported. */
function recordedChunker({ name, ...options }: Run['document']['chunker']): ResolvedChunker {
  const resolution = resolveChunker(name, options)
  if (resolution.kind === 'resolved') return resolution.chunker
  throw new ReadFailure('too_complex', `The chunker of this document is no longer known. ${resolution.message}`)
}

function visionModelOf(reader: Run['document']['reader']): string | null {
  const model = reader['model']
  return typeof model === 'string' ? model : null
}

async function readPicture(deps: ReadDeps, order: ReadTask, mediaType: string): Promise<ReadingSummary> {
  const bytes = await Bun.file(order.file).bytes()
  const text = await describe(deps, order, { bytes, mediaType })
  return assemble(deps, order, { texts: [text], mediaType })
}

/** Has a recording written down, part after part, so that the parts of one file do not take the places of others. */
async function readRecording(deps: ReadDeps, order: ReadTask, mediaType: string): Promise<ReadingSummary> {
  const { run, caller, file } = order
  const { settings } = deps
  const bytesMax = Math.min(
    settings.get('documents.transcription_part_bytes'),
    settings.get('server.max_body_bytes') - formBytesMax,
  )
  const limits = { bytesMax, secondsMax: partSecondsMax }
  const { parts } = await deps.pool.run('divide', { file, mediaType, limits }, watchOf(deps, run))
  const { reader } = run.document
  const model = transcriptionModelOf(reader)
  if (model === null) throw new ReadFailure('no_text', 'No transcription model is configured to read this recording.')
  const asked = {
    model,
    caller,
    file,
    mediaType,
    prompt: textOption(reader, 'prompt'),
    language: textOption(reader, 'language'),
  }
  const cues: Cue[] = []
  let isTimed = true
  for (const [done, part] of parts.entries()) {
    const said = await transcribe(deps.models, { ...asked, part, signal: run.signal })
    isTimed &&= said.isTimed
    for (const cue of said.cues) cues.push(cue)
    run.report({ pages: { done: done + 1, total: parts.length } })
  }
  const untimed =
    'The transcription model gives no times; the text has those at which the parts of the recording begin.'
  return assemble(deps, order, { texts: cues, mediaType, warnings: [heard, ...(isTimed ? [] : [untimed])] })
}

const heard = 'The text was written by a transcription model that listened to the recording; it may differ from it.'
/** Models of OpenAI take at most 1,400 seconds at once. */
const partSecondsMax = 1200
/** What a form has around the recording. */
const formBytesMax = 32_768

function textOption(reader: Run['document']['reader'], name: string): string | null {
  const value = reader[name]
  return reader.name === 'transcription' && typeof value === 'string' ? value : null
}

/** Draws the pages of a PDF, some at a time, and has each of them described. */
async function readPages(deps: ReadDeps, order: ReadTask, mediaType: string | null): Promise<ReadingSummary> {
  const { run, file, directory } = order
  if (mediaType !== 'application/pdf')
    throw new ReadFailure(
      'unsupported_type',
      'The reader "vision" takes pictures and PDF files. Leave the reader at auto.',
    )
  const pixelsMax = pagePixelsMax
  const first = await deps.pool.run('render', { file, directory, page: 1, pixelsMax }, watchOf(deps, run))
  const total = first.pages
  const pagesMax = deps.settings.get('documents.max_pages')
  if (total > pagesMax) throw new ReadFailure('too_complex', `The file has more than ${pagesMax} pages.`)
  const texts = Array.from({ length: total }, () => '')
  let done = 0
  run.report({ pages: { done, total } })
  // The first page that fails ends the work on the others, which cost calls and use the workspace.
  const failed = new AbortController()
  const signal = AbortSignal.any([run.signal, failed.signal])
  const pages = texts.keys()
  const describeSome = async (): Promise<void> => {
    for (const index of pages) {
      const page = index + 1
      const { image } = await deps.pool.run('render', { file, directory, page, pixelsMax }, watchOf(deps, run, signal))
      const picture = { bytes: await Bun.file(image).bytes(), mediaType: 'image/png' }
      texts[index] = await describe(deps, order, picture, signal)
      await Bun.file(image).delete()
      run.report({ pages: { done: (done += 1), total } })
    }
  }
  await Promise.allSettled(
    Array.from({ length: pagesTogether }, () => describeSome().catch((thrown: unknown) => failed.abort(thrown))),
  )
  signal.throwIfAborted()
  return assemble(deps, order, { texts, mediaType })
}

async function describe(
  { models }: ReadDeps,
  { run, caller }: ReadTask,
  picture: { readonly bytes: Uint8Array; readonly mediaType: string },
  signal = run.signal,
): Promise<string> {
  const model = visionModelOf(run.document.reader)
  if (model === null) throw new ReadFailure('no_text', 'No multimodal model is configured to read this picture.')
  const { prompt } = run.document.reader
  return describePicture(models, {
    model,
    caller,
    prompt: typeof prompt === 'string' ? prompt : picturePrompt,
    picture,
    signal,
  })
}

const seen = 'The text was written by a multimodal model that looked at the pictures; it may differ from them.'

function assemble(
  deps: ReadDeps,
  { run, directory }: ReadTask,
  described: {
    readonly texts: readonly string[] | readonly Cue[]
    readonly mediaType: string
    readonly warnings?: readonly string[]
  },
): Promise<ReadingSummary> {
  const warnings = [seen]
  return deps.pool.run(
    'assemble',
    { directory, warnings, ...described, ...limitsAndChunker(deps, run) },
    watchOf(deps, run),
  )
}

function limitsOf(settings: LiveSettings): ReadLimits {
  return {
    textMax: settings.get('documents.max_text_characters'),
    pagesMax: settings.get('documents.max_pages'),
    unpackedBytesMax: settings.get('documents.max_unpacked_bytes'),
  }
}

function watchOf({ settings }: ReadDeps, run: Run, signal = run.signal): ReadingWatch {
  const seconds = settings.get('documents.read_seconds') + Math.ceil(run.document.bytes / mebibyte)
  const bounds = { timeMaxMs: seconds * 1000, memoryBytesMax: settings.get('documents.read_memory_bytes') }
  const onChunking = (pages: number): void => {
    run.report({ pages: { done: pages, total: pages } })
    run.enter('chunking')
  }
  return { signal, bounds, onChunking }
}
