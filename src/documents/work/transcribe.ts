/** What is said in a part of a recording and when, as a transcription model writes it down. */
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { OutgoingForm } from '#lib/outgoing-form.ts'
import type { RecordingPart } from '#readers/media/divide-recording.ts'
import type { Cue } from '#readers/text/subtitles.ts'
import type { DocumentModels } from '../models.ts'

export interface TranscribeCall {
  readonly model: string
  readonly caller: Caller
  /** Path of the recording. */
  readonly file: string
  readonly mediaType: string
  readonly part: RecordingPart
  readonly prompt: string | null
  readonly language: string | null
  readonly signal: AbortSignal
}

export interface Transcript {
  readonly cues: readonly Cue[]
  /** The model gave times of its own. */
  readonly isTimed: boolean
}

/** Endings by which servers of models tell the types. */
const endings: ReadonlyMap<string, string> = new Map([
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/mp4', 'm4a'],
  ['video/mp4', 'mp4'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['video/webm', 'webm'],
])

/** Asks for times; a model that knows none is asked again without. Rejects with the ApiError of the call. */
export async function transcribe(
  models: Pick<DocumentModels, 'transcription'>,
  call: TranscribeCall,
): Promise<Transcript> {
  try {
    return await ask(models, call, true)
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.detail.upstreamStatus !== 400) throw thrown
    return ask(models, call, false)
  }
}

async function ask(
  models: Pick<DocumentModels, 'transcription'>,
  { model, caller, file, mediaType, part, prompt, language, signal }: TranscribeCall,
  isTimed: boolean,
): Promise<Transcript> {
  const { start, end, head } = part
  const name = `recording.${endings.get(mediaType) ?? 'mp3'}`
  const body = new OutgoingForm(
    [
      ['model', model],
      ['response_format', isTimed ? 'verbose_json' : 'json'],
      ...(isTimed ? [['timestamp_granularities[]', 'segment'] as const] : []),
      ...(prompt === null ? [] : [['prompt', prompt] as const]),
      ...(language === null ? [] : [['language', language] as const]),
    ],
    { path: file, start, end, head: Buffer.from(head, 'base64'), name, mediaType },
  )
  const answer = await models.transcription({ caller, purpose: 'batch', body, signal })
  return transcriptOf(await answer.json(), part.startMs)
}

function transcriptOf(answer: unknown, startMs: number): Transcript {
  const { text, segments } = answer as { readonly text?: unknown; readonly segments?: unknown }
  const cues = Array.isArray(segments) ? segments.map((segment) => cueOf(segment, startMs)) : []
  if (cues.length > 0) return { cues, isTimed: true }
  if (typeof text === 'string') return { cues: [{ startMs, text: text.trim() }], isTimed: text.trim() === '' }
  throw new ApiError('upstream_invalid_response', { message: 'The transcription model answered without a text.' })
}

function cueOf(segment: unknown, startMs: number): Cue {
  const { start, text } = (segment ?? {}) as { readonly start?: unknown; readonly text?: unknown }
  const seconds = typeof start === 'number' && start >= 0 && start < secondsMax ? start : 0
  return { startMs: startMs + Math.round(seconds * 1000), text: typeof text === 'string' ? text.trim() : '' }
}

/** A day: what is later is an error of the model. */
const secondsMax = 86_400
