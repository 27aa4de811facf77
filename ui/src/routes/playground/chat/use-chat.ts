/** The state of a conversation: asks, streams each answer, stops, and stores it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isSignedOut } from '../../../api/client.ts'
import { resource } from '../../../api/queries.ts'
import type { ChatSettings, Efforts } from './chat-settings-values.ts'
import {
  isRunning,
  newAnswer,
  stopped,
  withAnswer,
  withResults,
  type Answer,
  type Question,
  type Turn,
} from './conversation.ts'
import type { Conversation } from './conversations.ts'
import { newId } from './kept-place.ts'
import { runAnswer } from './run-answer.ts'
import { readChat, showConversation, storeChat, type Chat } from './stored-chat.ts'

export interface ChatControl extends Chat {
  readonly running: boolean
  readonly change: (settings: Partial<ChatSettings>) => void
  readonly ask: (question: Question) => void
  /** Replaces the last question with an edited one. */
  readonly askEdited: (question: Question) => void
  /** Asks one model for another answer to the last question. */
  readonly regenerate: (lane: number) => void
  /** Gives one model the results of its calls; it goes on. */
  readonly answerCalls: (lane: number, results: readonly string[]) => void
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
  const streams = useStreams()
  const queryClient = useQueryClient()
  const { turns, settings } = chat

  function stop(): void {
    for (const stream of streams) stream.abort()
    setTurns(stopped)
  }

  /** Streams the answer of one lane into a turn. */
  async function run(turn: Turn, lane: number, past: readonly Turn[]): Promise<void> {
    const stream = new AbortController()
    streams.add(stream)
    const update = (change: (answer: Answer) => Answer): void =>
      setTurns((all) => withAnswer(all, { turnId: turn.id, lane }, change))
    const thrown = await runAnswer(turn, lane, { past, settings, efforts, signal: stream.signal, update })
    streams.delete(stream)
    // Refreshing the session opens the sign-in page.
    if (isSignedOut(thrown)) void queryClient.invalidateQueries({ queryKey: resource.session })
  }

  function askAfter(past: readonly Turn[], question: Question): void {
    stop()
    const turn = newTurn(question, settings, models(settings))
    setTurns(() => [...past, turn])
    for (const lane of turn.answers.keys()) void run(turn, lane, past)
  }

  /** Changes the answer of one lane to the last question, and runs it. */
  function runAgain(lane: number, change: (answer: Answer) => Answer): void {
    const last = turns.at(-1)
    const [turn] = last === undefined ? [] : withAnswer([last], { turnId: last.id, lane }, change)
    if (turn === undefined) return
    setTurns((all) => [...all.slice(0, -1), turn])
    void run(turn, lane, turns.slice(0, -1))
  }

  function show(next: Conversation | null): void {
    stop()
    if (next !== null) showConversation(next)
    setChat((before) => ({ turns: next?.turns ?? [], settings: { ...before.settings, ...next?.settings } }))
  }

  return {
    ...chat,
    running: isRunning(turns),
    change: (next) => setChat((before) => ({ ...before, settings: { ...before.settings, ...next } })),
    ask: (question) => askAfter(turns, question),
    askEdited: (question) => askAfter(turns.slice(0, -1), question),
    regenerate: (lane) => runAgain(lane, (answer) => newAnswer(models(settings)[lane] ?? answer.model)),
    answerCalls: (lane, results) => runAgain(lane, (answer) => withResults(answer, results)),
    stop,
    clear: () => show(null),
    open: show,
  }
}

/** The streams under way; they end with the page. */
function useStreams(): Set<AbortController> {
  const [streams] = useState(() => new Set<AbortController>())
  useEffect(() => () => streams.forEach((stream) => stream.abort()), [streams])
  return streams
}

function newTurn(question: Question, { format, schema }: ChatSettings, models: readonly string[]): Turn {
  return { id: newId(), question, answers: models.map(newAnswer), schema: format === 'json_schema' ? schema : '' }
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
