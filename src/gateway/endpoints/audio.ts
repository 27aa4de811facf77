/** POST /ai/v1/audio/transcriptions, /ai/v1/audio/translations and /ai/v1/audio/speech: speech as text, and text as speech. */
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { readFormRequest } from '../request/read-form-request.ts'
import { eventsOr } from '../relay/relay-answer.ts'
import { relayBytes } from '../relay/relay-bytes.ts'
import { relayDocument } from '../relay/relay-whole.ts'

/** The client's own choice of form (JSON, subtitles, MP3, …) stands in the body. */
const anything = '*/*'

export const transcription: ModelCall = {
  endpoint: 'audio/transcriptions',
  read: readFormRequest,
  asksUsage: false,
  accept: anything,
  relay: eventsOr(relayDocument, new Set(['transcript.text.done'])),
}

export const translation: ModelCall = {
  endpoint: 'audio/translations',
  read: readFormRequest,
  asksUsage: false,
  accept: anything,
  relay: relayDocument,
}

export const speech: ModelCall = {
  endpoint: 'audio/speech',
  read: (context, limits) => readModelRequest(context, limits, { check: checkInput }),
  asksUsage: false,
  accept: anything,
  relay: eventsOr(relayBytes, new Set(['speech.audio.done'])),
}

function checkInput({ input }: Fields): void {
  if (typeof input !== 'string' || input === '') throw invalidBody('input', '"input" must be a string.')
}
