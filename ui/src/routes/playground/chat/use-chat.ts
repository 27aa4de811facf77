/** The state of a conversation: asks, streams each answer, stops, and stores it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { asApiError, detailsOf } from '../../../api/api-error.ts'
import { isSignedOut } from '../../../api/client.ts'
import { resource } from '../../../api/queries.ts'
import { streamChat } from '../../../api/stream-chat.ts'
import { chatFields, type ChatFields, type ChatSettings, type Efforts } from './chat-settings-values.ts'
import {
  isRunning,
  messagesOf,
  newAnswer,
  stopped,
  withAnswer,
  type Answer,
  type Question,
  type Turn,
} from './conversation.ts'
import { newId, type Conversation } from './conversations.ts'
import { readChat, showConversation, storeChat, type Chat } from './stored-chat.ts'

export interface ChatControl extends Chat {
  readonly running: boolean
  readonly change: (settings: Partial<ChatSettings>) => void
  readonly ask: (question: Question) => void
  /** Replaces the last question with an edited one. */
  readonly askEdited: (question: Question) => void
  /** Asks one model for another answer to the last question. */
  readonly regenerate: (lane: number) => void
  /** Ends all streams at once. The received text stays. */
  readonly stop: () => void
  /** Begins a new conversation; the one before stays in the list. */
  readonly clear: () => void
  /** Goes on with a kept conversation. */
  readonly open: (conversation: Conversation) => void
}

export interface ChatContext {
  readonly userId: string
  /** The models of the settings, in the order of the lanes. */
  readonly models: (settings: ChatSettings) => readonly string[]
  readonly efforts: Efforts
}

export function useChat({ userId, models, efforts }: ChatContext): ChatControl {
  const { chat, setChat, setTurns } = useStoredChat(userId)
  const [streams] = useState(() => new Set<AbortController>())
  const queryClient = useQueryClient()
  const { turns, settings } = chat

  function stop(): void {
    for (const stream of streams) stream.abort()
    setTurns(stopped)
  }
  useEffect(() => () => streams.forEach((stream) => stream.abort()), [streams])

  /** Streams the answer of one lane into a turn. */
  async function run(turn: Turn, lane: number, past: readonly Turn[]): Promise<void> {
    const model = turn.answers[lane]?.model ?? ''
    const messages = messagesOf(settings.system, past, { lane, question: turn.question })
    const stream = new AbortController()
    streams.add(stream)
    const thrown = await streamAnswer(chatFields(settings, efforts, { model, messages }), stream.signal, (change) =>
      setTurns((all) => withAnswer(all, { turnId: turn.id, lane }, change)),
    )
    streams.delete(stream)
    // Refreshing the session opens the sign-in page.
    if (isSignedOut(thrown)) void queryClient.invalidateQueries({ queryKey: resource.session })
  }

  function askAfter(past: readonly Turn[], question: Question): void {
    stop()
    const turn: Turn = { id: newId(), question, answers: models(settings).map(newAnswer) }
    setTurns(() => [...past, turn])
    for (const lane of turn.answers.keys()) void run(turn, lane, past)
  }

  function regenerate(lane: number): void {
    const last = turns.at(-1)
    const model = models(settings)[lane] ?? last?.answers[lane]?.model
    if (last === undefined || model === undefined) return
    const turn = { ...last, answers: last.answers.map((answer, at) => (at === lane ? newAnswer(model) : answer)) }
    setTurns((all) => [...all.slice(0, -1), turn])
    void run(turn, lane, turns.slice(0, -1))
  }

  function show(next: Conversation | null): void {
    stop()
    if (next !== null) showConversation(next)
    setChat(({ settings: before }) => ({ turns: next?.turns ?? [], settings: { ...before, ...next?.settings } }))
  }

  return {
    ...chat,
    running: isRunning(turns),
    change: (next) => setChat((before) => ({ ...before, settings: { ...before.settings, ...next } })),
    ask: (question) => askAfter(turns, question),
    askEdited: (question) => askAfter(turns.slice(0, -1), question),
    regenerate,
    stop,
    clear: () => show(null),
    open: show,
  }
}

/** Applies each event of a stream to an answer, until it is stopped. Returns the error, or null. */
async function streamAnswer(
  fields: ChatFields,
  signal: AbortSignal,
  update: (change: (answer: Answer) => Answer) => void,
): Promise<unknown> {
  try {
    for await (const progress of streamChat(fields, signal)) {
      // A stopped answer no longer changes.
      if (signal.aborted) return null
      update((answer) => ({ ...answer, progress }))
    }
    update((answer) => ({ ...answer, state: 'complete' }))
    return null
  } catch (thrown) {
    if (signal.aborted) return null
    const error = detailsOf(asApiError(thrown))
    update((answer) => ({ ...answer, state: 'failed', error }))
    return thrown
  }
}

/** State that is stored when no answer is running, and when the page is left. */
function useStoredChat(userId: string) {
  const [chat, setChat] = useState(() => readChat(userId))
  const latest = useRef(chat)
  useEffect(() => {
    latest.current = chat
    if (!isRunning(chat.turns)) storeChat(userId, chat)
  }, [chat, userId])
  useEffect(() => {
    const store = (): void => storeChat(userId, latest.current)
    window.addEventListener('pagehide', store)
    return () => {
      window.removeEventListener('pagehide', store)
      store()
    }
  }, [userId])
  const setTurns = (change: (turns: readonly Turn[]) => readonly Turn[]): void =>
    setChat((before) => ({ ...before, turns: change(before.turns) }))
  return { chat, setChat, setTurns }
}
