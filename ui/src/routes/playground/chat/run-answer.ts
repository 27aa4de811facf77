/** Runs one answer of a conversation: asks, streams, and goes on with the results of calls that have a set answer. */
import { asApiError, detailsOf } from '../../../api/api-error.ts'
import { streamChat, type ChatProgress } from '../../../api/stream-chat.ts'
import { chatFields, type ChatFields, type ChatSettings, type Efforts } from './chat-settings-values.ts'
import { messagesOf, withResults, type Answer, type Turn } from './conversation.ts'
import { Pace } from './pace.ts'
import { cannedResults } from './tool-draft.ts'

export interface AnswerRun {
  /** The turns before. */
  readonly past: readonly Turn[]
  readonly settings: ChatSettings
  readonly efforts: Efforts
  readonly signal: AbortSignal
  readonly update: (change: (answer: Answer) => Answer) => void
}

/** Streams the answer of one lane into a turn. Returns the error, or null. */
export async function runAnswer(turn: Turn, lane: number, run: AnswerRun): Promise<unknown> {
  const begun = turn.answers[lane]
  if (begun === undefined) return null
  const { past, settings, efforts, signal, update } = run
  for (let { rounds } = begun; ;) {
    const messages = messagesOf(settings.system, past, { lane, question: turn.question, rounds })
    const fields = chatFields(settings, efforts, { model: begun.model, messages })
    const { progress, thrown } = await streamAnswer(fields, signal, update)
    const results = progress === null ? null : cannedResults(progress.toolCalls, settings.tools)
    if (progress === null || results === null || rounds.length >= roundsMax) return thrown
    rounds = withResults({ ...begun, rounds, progress }, results).rounds
    update((answer) => withResults(answer, results))
  }
}

/** A model that calls the same function for ever is stopped; a person can let it go on. */
const roundsMax = 8

interface Streamed {
  /** The whole answer; null for one that failed or was stopped. */
  readonly progress: ChatProgress | null
  readonly thrown: unknown
}

/** Shows an answer as it grows, until it is stopped. */
async function streamAnswer(
  fields: ChatFields,
  signal: AbortSignal,
  update: (change: (answer: Answer) => Answer) => void,
): Promise<Streamed> {
  let latest: ChatProgress | null = null
  const pace = new Pace<ChatProgress>({
    show: (progress) => {
      // A stopped answer no longer changes.
      if (!signal.aborted) update((answer) => ({ ...answer, progress }))
    },
  })
  try {
    for await (const progress of streamChat(fields, signal)) {
      latest = progress
      pace.push(progress)
    }
    pace.flush()
    if (signal.aborted) return { progress: null, thrown: null }
    update((answer) => ({ ...answer, state: 'complete' }))
    return { progress: latest, thrown: null }
  } catch (thrown) {
    if (signal.aborted) return { progress: null, thrown: null }
    pace.flush()
    const error = detailsOf(asApiError(thrown))
    update((answer) => ({ ...answer, state: 'failed', error }))
    return { progress: null, thrown }
  }
}
