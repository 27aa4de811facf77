/**
 * A conversation with one model, or with several side by side. Pure functions: nothing here sends
 * or stores anything.
 */
import type { ApiErrorDetails } from '../../../api/api-error.ts'
import { initialProgress, type ChatMessage, type ChatProgress, type ToolCall } from '../../../api/stream-chat.ts'

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

/** A call of a function with what it answered. */
export interface AnsweredCall extends ToolCall {
  readonly result: string
}

/** What a model wrote before it went on with the results of its calls. */
export interface ToolRound {
  readonly text: string
  readonly calls: readonly AnsweredCall[]
}

export interface Answer {
  readonly model: string
  readonly state: AnswerState
  /** What came before `progress`. */
  readonly rounds: readonly ToolRound[]
  readonly progress: ChatProgress
  readonly error: ApiErrorDetails | null
}

/** A question with the answers of the models. The index of an answer is its lane. */
export interface Turn {
  readonly id: string
  readonly question: Question
  readonly answers: readonly Answer[]
  /** The JSON schema that the answers were asked to follow; empty for none. */
  readonly schema: string
}

export function newAnswer(model: string): Answer {
  return { model, state: 'running', rounds: [], progress: initialProgress, error: null }
}

/** The answer goes on with the results of its calls, in their order. */
export function withResults(answer: Answer, results: readonly string[]): Answer {
  const { text, toolCalls } = answer.progress
  const calls = toolCalls.map((call, at) => ({ ...call, result: results[at] ?? '' }))
  return {
    ...answer,
    state: 'running',
    rounds: [...answer.rounds, { text, calls }],
    progress: initialProgress,
    error: null,
  }
}

/** The model waits for the results of its calls. */
export function isWaiting({ state, progress }: Answer): boolean {
  return state === 'complete' && progress.toolCalls.length > 0
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
 * some models require alternating roles, and so are calls that have no result.
 */
export function messagesOf(
  system: string,
  turns: readonly Turn[],
  {
    lane,
    question,
    rounds = [],
  }: { readonly lane: number; readonly question: Question; readonly rounds?: Answer['rounds'] },
): readonly ChatMessage[] {
  const past = turns.flatMap(({ question: asked, answers }): readonly ChatMessage[] => {
    const answer = answers[lane] ?? answers[0]
    const text = answer?.progress.text ?? ''
    return text === '' || answer === undefined
      ? []
      : [userMessage(asked), ...answer.rounds.flatMap(roundMessages), { role: 'assistant', content: text }]
  })
  const instructions: readonly ChatMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  return [...instructions, ...past, userMessage(question), ...rounds.flatMap(roundMessages)]
}

function roundMessages({ text, calls }: ToolRound): readonly ChatMessage[] {
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }))
  return [
    { role: 'assistant', content: text === '' ? null : text, tool_calls },
    ...calls.map(({ id, result }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: result })),
  ]
}

function userMessage({ text, images }: Question): ChatMessage {
  const shown = images.filter(({ url }) => url !== '')
  if (shown.length === 0) return { role: 'user', content: text }
  const parts = shown.map(({ url }) => ({ type: 'image_url', image_url: { url } }))
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}
