/**
 * A conversation with one model or two beside each other: what was asked, what each answered, and
 * what a next request says of it. Pure: nothing here sends or stores.
 */
import type { ApiErrorDetails } from '../../../api/api-error.ts'
import { noProgress, type ChatMessage, type ChatProgress } from '../../../api/stream-chat.ts'

export interface Picture {
  readonly name: string
  /** A data URL; empty when the tab's storage had no room for it. */
  readonly url: string
}

export interface Question {
  readonly text: string
  readonly pictures: readonly Picture[]
}

export type AnswerState = 'running' | 'complete' | 'stopped' | 'failed'

export interface Answer {
  readonly model: string
  readonly state: AnswerState
  readonly progress: ChatProgress
  readonly error: ApiErrorDetails | null
}

/** A question with the answer of each model; the place of an answer is its lane. */
export interface Turn {
  readonly id: string
  readonly question: Question
  readonly answers: readonly Answer[]
}

export function newAnswer(model: string): Answer {
  return { model, state: 'running', progress: noProgress, error: null }
}

export function isRunning(turns: readonly Turn[]): boolean {
  return turns.some(({ answers }) => answers.some(({ state }) => state === 'running'))
}

/** The turns with one answer changed; the same turns when it is not there any more. */
export function withAnswer(
  turns: readonly Turn[],
  { turnId, lane }: { readonly turnId: string; readonly lane: number },
  change: (answer: Answer) => Answer,
): readonly Turn[] {
  return turns.map((turn) =>
    turn.id === turnId
      ? { ...turn, answers: turn.answers.map((answer, at) => (at === lane ? change(answer) : answer)) }
      : turn,
  )
}

/** The turns with all that runs ended where it is. */
export function stopped(turns: readonly Turn[]): readonly Turn[] {
  if (!isRunning(turns)) return turns
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) => (answer.state === 'running' ? { ...answer, state: 'stopped' } : answer)),
  }))
}

/**
 * The messages of a request: the instructions, what one lane has heard and said, and the question.
 * A lane that was not there in a turn takes the first one's answer for its own. A question that
 * nobody answered is left out, for models that want the roles to alternate.
 */
export function messagesOf(
  system: string,
  turns: readonly Turn[],
  { lane, question }: { readonly lane: number; readonly question: Question },
): readonly ChatMessage[] {
  const past = turns.flatMap(({ question: asked, answers }): readonly ChatMessage[] => {
    const text = (answers[lane] ?? answers[0])?.progress.text ?? ''
    return text === '' ? [] : [userMessage(asked), { role: 'assistant', content: text }]
  })
  const instructions: readonly ChatMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  return [...instructions, ...past, userMessage(question)]
}

function userMessage({ text, pictures }: Question): ChatMessage {
  const shown = pictures.filter(({ url }) => url !== '')
  if (shown.length === 0) return { role: 'user', content: text }
  const parts = shown.map(({ url }) => ({ type: 'image_url', image_url: { url } }))
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}
