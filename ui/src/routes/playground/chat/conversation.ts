/**
 * A conversation with one model, or with two models side by side. Pure functions: nothing here sends
 * or stores anything.
 */
import type { ApiErrorDetails } from '../../../api/api-error.ts'
import { initialProgress, type ChatMessage, type ChatProgress } from '../../../api/stream-chat.ts'

export interface AttachedImage {
  readonly name: string
  /** A data URL; empty when the storage of the tab had no room for the image. */
  readonly url: string
}

export interface Question {
  readonly text: string
  readonly images: readonly AttachedImage[]
}

export type AnswerState = 'running' | 'complete' | 'stopped' | 'failed'

export interface Answer {
  readonly model: string
  readonly state: AnswerState
  readonly progress: ChatProgress
  readonly error: ApiErrorDetails | null
}

/** A question with the answers of the models. The index of an answer is its lane. */
export interface Turn {
  readonly id: string
  readonly question: Question
  readonly answers: readonly Answer[]
}

export function newAnswer(model: string): Answer {
  return { model, state: 'running', progress: initialProgress, error: null }
}

export function isRunning(turns: readonly Turn[]): boolean {
  return turns.some(({ answers }) => answers.some(({ state }) => state === 'running'))
}

/** The turns with one answer changed; unchanged when the answer no longer exists. */
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

/** The turns with all running answers stopped. */
export function stopped(turns: readonly Turn[]): readonly Turn[] {
  if (!isRunning(turns)) return turns
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) => (answer.state === 'running' ? { ...answer, state: 'stopped' } : answer)),
  }))
}

/**
 * The messages of a request: the system prompt, the history of one lane, and the question. Where a
 * turn has no answer in the lane, the first answer is used. Unanswered questions are left out, because
 * some models require alternating roles.
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

function userMessage({ text, images }: Question): ChatMessage {
  const shown = images.filter(({ url }) => url !== '')
  if (shown.length === 0) return { role: 'user', content: text }
  const parts = shown.map(({ url }) => ({ type: 'image_url', image_url: { url } }))
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}
